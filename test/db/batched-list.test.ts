import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type BatchedSource, batchedList, batchedTable, forEachKey } from '../../src/db/batched-list.ts';
import type { ListSource } from '../../src/db/connection.ts';
import { openDatabase } from '../../src/db/database.ts';
import { mergeSelections, type Selection } from '../../src/db/selection.ts';
import { testDatabase } from '../harness/gateway.ts';
import { countingClient } from '../harness/statements.ts';

// Registered before `testDatabase` registers the drop of the database: hooks run in the order of their registration.
let close: (() => Promise<void>) | undefined;
afterAll(() => close?.());
const counting = countingClient();
const database = await openDatabase({
  url: await testDatabase('bare'),
  poolSize: 3,
  statementTimeoutMs: 10_000,
  clientClass: counting.Client,
});
close = () => database.close();
const { read } = database.pools.signedIn;

/** The list of parent 3 is 301, 302, 303; even numbers in parent 0 alone, which is empty. */
await sql`create table item (parent bigint, id bigint, name text)`.execute(database.sql);
await sql`insert into item select p, p * 100 + n, 'n' || n from generate_series(1, 9) p, generate_series(1, p) n`.execute(
  database.sql,
);

interface Item {
  id: number;
  name?: string;
}

const wanted: Selection = new Map([['name', new Map()]]);
const items = (minId = 0): BatchedSource<number, Item> =>
  batchedTable(read, {
    keyType: 'bigint',
    select: selection => sql.raw(selection.has('name') ? 'id, name' : 'id'),
    from: sql.raw('item'),
    where: key => [sql`parent = ${key}`, sql`id >= ${minId}`],
    order: sql.raw('id desc'),
  });
const listOf = (context: object, parent: number, minId = 0): ListSource<Item> =>
  batchedList(context, 'Parent.items', { minId }, parent, items(minId));

async function counted<Result>(work: () => Promise<Result>): Promise<{ result: Result; statements: number }> {
  const before = counting.sent.length;
  const result = await work();
  return { result, statements: counting.sent.length - before };
}

const idsOf = (lists: Item[][]): number[][] => lists.map(rows => rows.map(({ id }) => id));

test('pages of many parents are one statement, in the order of each list', async () => {
  const context = {};
  const { result, statements } = await counted(() =>
    Promise.all([3, 0, 9, 1].map(parent => listOf(context, parent).rows({ limit: 2, offset: 0, wanted }))),
  );
  expect(idsOf(result)).toEqual([[303, 302], [], [909, 908], [101]]);
  expect(result[0]?.[0]).toMatchObject({ id: 303, name: 'n3' });
  expect(statements).toBe(1);
});

test('each parent has an offset of its own', async () => {
  const context = {};
  const { result, statements } = await counted(() =>
    Promise.all([3, 9, 3].map((parent, at) => listOf(context, parent).rows({ limit: 2, offset: at, wanted }))),
  );
  expect(idsOf(result)).toEqual([[303, 302], [908, 907], [301]]);
  expect(statements).toBe(1);
});

test('totals of many parents are one statement', async () => {
  const context = {};
  const { result, statements } = await counted(() =>
    Promise.all([9, 0, 3, 9].map(parent => listOf(context, parent).total())),
  );
  expect(result).toEqual([9, 0, 3, 9]);
  expect(statements).toBe(1);
});

test('other arguments, limits and selections are other statements, the same ones are read once', async () => {
  const context = {};
  const slice = { limit: 2, offset: 0, wanted };
  const { result, statements } = await counted(() =>
    Promise.all([
      listOf(context, 3).rows(slice),
      listOf(context, 3).rows(slice),
      listOf(context, 3, 303).rows(slice),
      listOf(context, 3).rows({ ...slice, limit: 1 }),
      listOf(context, 3).rows({ ...slice, wanted: new Map() }),
      batchedList(context, 'Parent.others', { minId: 0 }, 3, items()).rows(slice),
    ]),
  );
  expect(idsOf(result)).toEqual([[303, 302], [303, 302], [303], [303], [303, 302], [303, 302]]);
  expect(result[1]).toBe(result[0]);
  expect(result[4]?.[0]).not.toHaveProperty('name');
  expect(statements).toBe(5);
});

test('two requests share nothing', async () => {
  const slice = { limit: 2, offset: 0, wanted };
  const { statements } = await counted(() => Promise.all([listOf({}, 3).rows(slice), listOf({}, 3).rows(slice)]));
  expect(statements).toBe(2);
});

test('a failure reaches every parent of the batch', async () => {
  const context = {};
  const broken = batchedTable<number, Item>(read, {
    keyType: 'bigint',
    select: () => sql.raw('1 / (parent - 3)'),
    from: sql.raw('item'),
    where: key => [sql`parent = ${key}`],
    order: sql.raw('id'),
  });
  const ends = await Promise.allSettled(
    [2, 3].map(parent =>
      batchedList(context, 'Broken.items', {}, parent, broken).rows({ limit: 1, offset: 0, wanted }),
    ),
  );
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a query runs for each key, repeated and unknown ones too', async () => {
  const names = await forEachKey<{ name: string }>(
    read,
    ['n2', 'n9', 'x', 'n9'],
    'text',
    key => sql`select name, parent from item where name = ${key} order by parent limit 2`,
  );
  expect(names.map(rows => rows.map(({ name }) => name))).toEqual([['n2', 'n2'], ['n9'], [], ['n9']]);
  expect(await forEachKey(read, [], 'bigint', key => sql`select ${key}`)).toEqual([]);
});

test('merged selections are the same object each time, so that they are one batch', () => {
  const [first, second]: Selection[] = [new Map([['a', new Map()]]), new Map([['b', new Map()]])];
  expect(mergeSelections(first, second as Selection)).toBe(mergeSelections(first, second as Selection));
  expect([...mergeSelections(first, second as Selection).keys()]).toEqual(['a', 'b']);
});
