import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { migrationOnlyObjects, namesOfKind } from '../../src/db/migration-only-objects.ts';
import { testDatabase } from '../harness/gateway.ts';
import { type Catalog, compareCatalogs, readCatalog, tableOf } from './catalog.ts';

let migrated: pg.Client;
let catalogOfClasses: Catalog;

// Registered before `testDatabase` registers the drop of the databases: hooks run in the order of their registration.
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  closing.push(() => client.end());
  return client;
}

const [migratedUrl, declaredUrl] = await Promise.all([testDatabase('bare'), testDatabase('bare')]);

beforeAll(async () => {
  const database = await openDatabase({ url: migratedUrl, poolSize: 2, statementTimeoutMs: 60_000 });
  closing.push(() => database.close());
  await migrate(database);
  migrated = await connect(migratedUrl);
  const declared = await connect(declaredUrl);
  await declared.query(await database.orm.schema.getCreateSchemaSQL());
  catalogOfClasses = await readCatalog(declared);
});

const listed = new Set(migrationOnlyObjects.flatMap(({ names }) => names));
const tablesWithoutClass = new Set(namesOfKind('table'));

/** What is neither declared twice alike nor listed, and what is listed without need; each with both definitions. */
async function problems(): Promise<string[]> {
  const differences = compareCatalogs(await readCatalog(migrated), catalogOfClasses);
  const unexplained = differences.filter(difference => {
    if (listed.has(difference.name)) return difference.declared !== null || difference.migrated === null;
    return !tablesWithoutClass.has(tableOf(difference) ?? '');
  });
  const names = new Set(differences.map(({ name }) => name));
  return [
    ...unexplained.map(one => `${one.name}: migrated «${one.migrated}», declared «${one.declared}»`),
    ...[...listed].filter(name => !names.has(name)).map(name => `${name}: listed, but there is no difference`),
  ];
}

describe('tables and classes', () => {
  test('the migrations and the classes make the same database', async () => {
    expect(await problems()).toEqual([]);
  });
});

describe('the comparison finds', () => {
  const changes: [statement: string, found: string][] = [
    ['drop index article_by_source', 'index article_by_source'],
    ['create index extra on article (author)', 'index extra'],
    [
      `drop index article_tags; create index article_tags on article using gin (tags)`,
      'index article_tags', // the predicate is gone
    ],
    [
      `drop index rule_suite_by_owner; create index rule_suite_by_owner on rule_suite (owner_id, pushed_at, id)`,
      'index rule_suite_by_owner',
    ],
    [`drop index users_email; create index users_email on users (lower(email))`, 'index users_email'],
    [
      'drop index health_profile_terms; create index health_profile_terms on health_profile using gin (terms)',
      'index health_profile_terms',
    ],
    ['alter table article alter column summary drop default', 'column article.summary'],
    [`alter table ad alter column weight set default 2`, 'column ad.weight'],
    ['alter table article alter column image_url set not null', 'column article.image_url'],
    ['alter table users alter column weight_kg type numeric(6,2)', 'column users.weight_kg'],
    ['alter table category alter column id drop identity', 'column category.id'],
    ['alter table category add column color text', 'column category.color'],
    ['alter table category drop column description', 'column category.description'],
    ['alter table ad drop constraint ad_weight_check', 'constraint ad.ad_weight_check'],
    [
      'alter table ad drop constraint ad_weight_check; alter table ad add constraint ad_weight_check check (weight between 1 and 999)',
      'constraint ad.ad_weight_check',
    ],
    [
      `alter table ad drop constraint ad_weight_check;
       alter table ad add constraint ad_weight_check check (weight between 1 and 1000) not valid`,
      'constraint ad.ad_weight_check',
    ],
    ['alter table category drop constraint category_slug_key', 'constraint category.category_slug_key'],
    [
      `alter table repository drop constraint repository_parent_id_foreign; alter table repository
       add constraint repository_parent_id_foreign foreign key (parent_id) references repository on delete cascade`,
      'constraint repository.repository_parent_id_foreign',
    ],
    [
      `alter table star drop constraint star_pkey; alter table star add primary key (repository_id, account_id)`,
      'constraint star.star_pkey',
    ],
    ['drop trigger app_notifies_credentials on app', 'trigger app.app_notifies_credentials'],
    [
      'create trigger extra after update on star for each statement execute function notify_credentials()',
      'trigger star.extra',
    ],
    ['drop function credential_lasts_until cascade', 'function credential_lasts_until(bigint)'],
    ['create function extra() returns int language sql return 1', 'function extra()'],
    ['create table extra (id int)', 'table extra'],
    ['alter table star set (fillfactor = 70)', 'table options star'],
    ['create view extra as select 1 as one', 'view extra'],
    [`create type extra as enum ('a')`, 'type extra'],
  ];

  test.each(changes)('%s', async (statement, found) => {
    await migrated.query('begin');
    try {
      await migrated.query(statement);
      expect((await problems()).some(problem => problem.startsWith(`${found}: `))).toBe(true);
    } finally {
      await migrated.query('rollback');
    }
  });
});
