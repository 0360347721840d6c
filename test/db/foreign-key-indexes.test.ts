import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { testDatabase } from '../harness/gateway.ts';

// Registered before `testDatabase` registers the drop of the database: hooks run in the order of their registration.
let client: pg.Client;
afterAll(() => client.end());
client = new pg.Client({ connectionString: await testDatabase('empty') });
await client.connect();

/**
 * Foreign keys without an index that begins with their columns: each deletion of a row that they refer to reads the whole table. A partial
 * index serves where its predicate is only that the column is not null. Indexes of a partition follow from those of its parent.
 */
async function unindexedForeignKeys(): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(`
    select c.conrelid::regclass || ' (' || (select string_agg(a.attname, ', ' order by at)
        from unnest(c.conkey) with ordinality k (number, at) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = number) || ')' as key
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.conparentid = 0 and not exists (
      select from pg_index i
      where i.indrelid = c.conrelid and i.indisvalid and (select amname from pg_am join pg_class o on o.relam = pg_am.oid
          where o.oid = i.indexrelid) = 'btree'
        and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
        and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) in (
          select '(' || a.attname || ' IS NOT NULL)' from unnest(c.conkey) number
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = number)))
    order by 1`);
  return rows.map(({ key }) => key);
}

test('every foreign key has an index, so that a deletion reads no whole table', async () => {
  expect(await unindexedForeignKeys()).toEqual([]);
});

test.each([
  ['without an index', ''],
  ['with an index on another column', 'create index on fault (other)'],
  ['with an index that begins with another column', 'create index on fault (other, owner_id)'],
  ['with an index of some of its rows', 'create index on fault (owner_id) where other > 1'],
  ['with an index of an expression', 'create index on fault ((owner_id + 1))'],
])('a key %s is found', async (_what, index) => {
  await client.query('begin');
  try {
    await client.query(
      `create table fault (owner_id bigint references users on delete cascade, other bigint); ${index}`,
    );
    expect(await unindexedForeignKeys()).toEqual(['fault (owner_id)']);
    await client.query('create index on fault (owner_id, other) where owner_id is not null');
    expect(await unindexedForeignKeys()).toEqual([]);
  } finally {
    await client.query('rollback');
  }
});
