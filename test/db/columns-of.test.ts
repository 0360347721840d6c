import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { healthEntities } from '../../schema/health/entities.ts';
import { SymptomLog } from '../../schema/health/symptom-log.ts';
import { hostingEntities } from '../../schema/hosting/entities.ts';
import { columnsOf } from '../../src/db/columns-of.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { compiler } from '../../src/db/kysely-client.ts';
import type { Selection } from '../../src/db/selection.ts';
import { testDatabase } from '../harness/gateway.ts';

const selecting = (...names: string[]): Selection => new Map(names.map(name => [name, new Map()]));
const textOf = (list: ReturnType<ReturnType<typeof columnsOf>>): string => sql`${list}`.compile(compiler).sql;

describe('a select list', () => {
  test('has what is selected, under the names of the properties, and what every row carries', () => {
    const columns = columnsOf(SymptomLog, 's', { always: ['id'] });
    expect(textOf(columns(selecting('severity', 'loggedAt')))).toBe(
      's.id as "id", s.severity as "severity", s.logged_at as "loggedAt"',
    );
    expect(textOf(columns(selecting()))).toBe('s.id as "id"');
  });

  test('leaves out fields that it does not know and columns that are hidden, unless every row carries them', () => {
    const wanted = selecting('__typename', 'userId', 'severity');
    expect(textOf(columnsOf(SymptomLog, 's')(wanted))).toBe('s.severity as "severity"');
    expect(textOf(columnsOf(SymptomLog, 's', { always: ['userId'] })(wanted))).toBe(
      's.user_id as "userId", s.severity as "severity"',
    );
  });

  test('has computed columns in place of the noun’s own, and none that are excepted', () => {
    const columns = columnsOf(SymptomLog, 's', { computed: { severity: '10 - s.severity' }, except: ['description'] });
    expect(textOf(columns(selecting('severity', 'description')))).toBe('10 - s.severity as "severity"');
  });

  test('hands on what is selected below a computed column', () => {
    const columns = columnsOf(SymptomLog, 's', { computed: { who: { below: ({ size }) => `${size}` } } });
    expect(textOf(columns(new Map([['who', selecting('id', 'name')]])))).toBe('2 as "who"');
  });

  test('has the key under both names and all published columns for `all`, and names them', () => {
    const columns = columnsOf(SymptomLog, 's', { computed: { isOwn: 'true' } });
    expect(columns.names).toEqual([
      'id',
      'databaseId',
      'symptomName',
      'severity',
      'bodyLocation',
      'description',
      'loggedAt',
      'createdAt',
      'isOwn',
    ]);
    expect(textOf(columns('all'))).toMatch(/^s\.id as "id", s\.id as "databaseId", /);
    expect(textOf(columns('all')).match(/ as /g)).toHaveLength(columns.names.length);
  });

  test('takes what depends on the request as a parameter', () => {
    const columns = columnsOf(SymptomLog, 's', {
      always: ['id'],
      computed: { isMine: ({ userId }: { userId: number }) => sql`s.user_id = ${userId}` },
    });
    const compiled = sql`${columns(selecting('isMine'), { userId: 7 })}`.compile(compiler);
    expect(compiled.sql).toBe('s.id as "id", s.user_id = $1 as "isMine"');
    expect(compiled.parameters).toEqual([7]);
  });

  test('has text around a parameter of the request in its place', () => {
    const columns = columnsOf(SymptomLog, 's', {
      always: ['id'],
      computed: {
        isMine: { before: 's.user_id = ', parameter: (userId: number) => userId, after: '::bigint' },
        one: '1',
      },
    });
    const compiled = sql`select ${columns(selecting('isMine', 'one'), 7)}, ${8}`.compile(compiler);
    expect(compiled.sql).toBe('select s.id as "id", s.user_id = $1::bigint as "isMine", 1 as "one", $2');
    expect(compiled.parameters).toEqual([7, 8]);
  });

  test('is made once for each selection', () => {
    let made = 0;
    const count = { below: () => `${++made}` };
    const columns = columnsOf(SymptomLog, 's', { computed: { count } });
    const [wanted, same] = [selecting('count'), selecting('count')];
    expect(columns(wanted)).toBe(columns(wanted));
    expect(made).toBe(1);
    expect(columns(same)).not.toBe(columns(wanted));
    expect(columns('all')).toBe(columns('all'));
    expect(made).toBe(3);
  });

  test('cannot be made with a field that nobody knows, or of a class that is no noun', () => {
    expect(() => columnsOf(SymptomLog, 's', { always: ['weight'] })).toThrow('SymptomLog has no column weight');
    expect(() => columnsOf(class Nothing {}, 'n')).toThrow('Nothing is no entity');
  });
});

// Registered before `testDatabase` registers the drop of the database: hooks run in the order of their registration.
let database: Database | undefined;
afterAll(() => database?.close());
const url = await testDatabase('empty');
database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 10_000 });
const { orm, sql: db } = database;

describe('every column of every noun is in its table', () => {
  test.each([...healthEntities, ...hostingEntities].map(noun => [noun.name, noun] as const))('%s', async (_, noun) => {
    const meta = orm.getMetadata().get(noun as never);
    const names = Object.keys(meta.properties);
    const list = columnsOf(noun as new () => object, 't', { always: names });
    const { rows } = await sql`select ${list(new Map())} from ${sql.table(meta.tableName)} t limit 0`.execute(db);
    expect(rows).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  });
});
