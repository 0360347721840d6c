import { afterAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import { migrations } from '../../src/db/migrations/list.ts';
import { planOf } from '../../src/db/pending-migrations.ts';
import { testDatabase } from '../harness/gateway.ts';

const database = await openDatabase({ url: await testDatabase('empty'), poolSize: 2, statementTimeoutMs: 10_000 });
afterAll(() => database.close());

/** Migrations from before this test. A new one belongs here only with a comment that says why its tables are small. */
const accepted: ReadonlySet<string> = new Set([
  '003-article-activity',
  '005-assessments',
  '013-commits',
  '024-credential-parents',
  '029-article-tallies',
  '030-article-search-blocks',
  '031-message-ordinals',
  '034-list-orders',
  '038-article-concepts',
  '039-group-visibility',
  '041-git-storage',
  '045-search-indexes',
  '046-hooks-and-ssh-keys',
  '049-app-bots',
  '051-repository-templates',
  '052-invitations',
  // One row for each authorization of an app.
  '057-browser-sign-in',
  // Block ranges of two tables, which one read of each makes: 2 s for 1,000,000 rows of 700 bytes on a busy machine. The table of imports
  // has one row for each imported repository.
  '058-service-insights',
]);

/** What keeps a table locked while its rows are read or written, or breaks the version before, which still runs. */
const hazards: readonly [RegExp, string][] = [
  [/\balter (column )?\w+ (set data )?type\b/, 'rewrites a column'],
  [/\bset not null\b/, 'reads all rows under a lock: validate a check first'],
  [
    /\badd (constraint|check|foreign key|unique|primary key|exclude)\b(?!.*\b(not valid|using index)\b)/,
    'adds a constraint without `not valid`',
  ],
  [/\badd column\b[^,]*\bgenerated always as\s*\(/, 'rewrites the table for a generated column'],
  [
    /\badd column\b(?![^,]*\b(default|generated)\b)[^,]*\bnot null\b/,
    'adds a column that the version before does not fill',
  ],
  [/\bdrop column\b|\brename\b/, 'takes away what the version before uses'],
];

/** The hazards of one migration for tables that existed before it. */
function hazardsOf(statements: readonly string[]): string[] {
  const single = statements
    .flatMap(one => one.replace(/\$(\w*)\$.*?\$\1\$/gs, "''").split(';'))
    .map(one =>
      one
        .replace(/--.*$/gm, '')
        .replace(/["\s]+/g, ' ')
        .trim()
        .toLowerCase(),
    );
  const created = new Set([
    ...single.flatMap(one => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(one)?.[1] ?? []),
    // In a block as well, which puts the name of the schema into its query.
    ...statements.flatMap(one => /\bcreate materialized view (\w+)/.exec(one)?.[1] ?? []),
  ]);
  return single.flatMap(one => {
    const index = /^create (?:unique )?index (?!concurrently)(?:if not exists )?(?:\w+ )?on (?:only )?(\w+)/.exec(one);
    if (index) return created.has(index[1] ?? '') ? [] : [`${index[1]}: creates an index without \`concurrently\``];
    const table = /^drop table (?:if exists )?(\w+)|^(?:truncate|lock|cluster|vacuum|reindex)(?: table)? (\w+)/.exec(
      one,
    );
    if (table) {
      const name = table[1] ?? table[2] ?? '';
      return created.has(name) ? [] : [`${name}: ${one.split(' ', 1)[0]}`];
    }
    const [, name = '', actions = ''] = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(one) ?? [];
    if (name === '' || created.has(name)) return [];
    return hazards.filter(([pattern]) => pattern.test(actions)).map(([, problem]) => `${name}: ${problem}`);
  });
}

test('the hazards are found, and only on tables that existed before', () => {
  const found = (...statements: string[]): number => hazardsOf(statements).length;
  expect(found('create index x on users (name)')).toBe(1);
  expect(found('create unique index if not exists x on users (name)')).toBe(1);
  expect(found('create index concurrently x on users (name)')).toBe(0);
  expect(found('create table users (name text)', 'create index x on users (name)')).toBe(0);
  expect(
    found('do $$ begin create materialized view names as select 1; end $$', 'create index x on names (name)'),
  ).toBe(0);
  expect(found('alter table users alter column name type text')).toBe(1);
  expect(found('alter table users alter name set not null')).toBe(1);
  expect(found('alter table users add constraint x check (name > 1)')).toBe(1);
  expect(found('alter table users add constraint x check (name > 1) not valid')).toBe(0);
  expect(found('alter table users validate constraint x')).toBe(0);
  expect(found('alter table users add constraint x unique using index y')).toBe(0);
  expect(found('alter table users add column name text')).toBe(0);
  expect(found('alter table users add column name text not null')).toBe(1);
  expect(found("alter table users add column name text not null default ''")).toBe(0);
  expect(found('alter table users add column day date generated always as (at::date) stored')).toBe(1);
  expect(found('alter table users drop column name')).toBe(1);
  expect(found('alter table users rename to people')).toBe(1);
  expect(found('drop table users', 'truncate users', 'lock table users')).toBe(3);
  expect(found('create function f() returns int as $$ begin drop table users; end $$')).toBe(0);
});

test('no migration locks an existing table for long, or breaks the version before', async () => {
  const found = new Map<string, string[]>();
  for (const one of migrations) {
    const { name } = one;
    const problems = hazardsOf((await planOf(database, one)).statements);
    if (problems.length > 0) found.set(name, problems);
  }
  const unexpected = [...found].filter(([name]) => !accepted.has(name));
  expect(Object.fromEntries(unexpected)).toEqual({});
  expect([...accepted].filter(name => !found.has(name))).toEqual([]);
});

test('indexes are built concurrently outside of a transaction, where PostgreSQL allows it, and nothing else is there', async () => {
  for (const one of migrations) {
    const { name, statements, isTransactional } = await planOf(database, one);
    const concurrent = statements.filter(text => /\bindex concurrently\b/i.test(text));
    expect({ name, count: concurrent.length }).toEqual({ name, count: isTransactional ? 0 : statements.length });
  }
});
