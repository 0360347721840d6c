import { beforeAll, expect, test } from '@jest/globals';
import { MetadataStorage } from '@mikro-orm/core';
import { sql } from 'kysely';
import { healthEntities } from '../../../schema/health/entities.ts';
import { personalDataOf } from '../../../schema/vocabulary/personal-data.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { eraseDeletedAccounts } from '../../../src/health/accounts/erase-accounts.ts';
import { createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });

const declarations = new Map(
  healthEntities.flatMap(entity => {
    const data = personalDataOf(entity);
    const path = (entity as unknown as Record<symbol, string>)[MetadataStorage.PATH_SYMBOL];
    const { tableName } = MetadataStorage.getMetadata(entity.name, path as string);
    return data ? [[tableName as string, data] as const] : [];
  }),
);

/** Tables that refer to a person, or to what belongs to one alone. */
async function personTables(): Promise<{ table: string; parent: string; isCascade: boolean }[]> {
  const { rows } = await sql<{ table: string; parent: string; isCascade: boolean }>`
    select conrelid::regclass::text as table, confrelid::regclass::text as parent, bool_and(confdeltype = 'c') as "isCascade"
    from pg_constraint where contype = 'f' and confrelid in ('users'::regclass, 'session'::regclass)
    group by 1, 2 order by 1`.execute(gateway.database.sql);
  return rows;
}

let person: TestAccount;
beforeAll(async () => {
  [person] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
  const post = (path: string, body: object) => send(gateway, 'POST', path, body, person.access);
  expect((await post('/community/groups/', { name: 'Gout', condition_tags: ['gout'] })).status).toBe(201);
  expect((await post('/chat/groups/', { name: 'Talk', participant_ids: [] })).status).toBe(201);
});

test('every table with a reference to a person is declared, and no other', async () => {
  const tables = new Set(['users', ...(await personTables()).map(({ table }) => table)]);
  expect([...declarations.keys()].sort()).toEqual([...tables].sort());
});

test('what is declared to be in the export is read for it, and the export has nothing else', async () => {
  const found: Record<string, unknown>[] = [];
  const statements = await gateway.statements(async () => {
    found.push((await send(gateway, 'GET', '/auth/me/export/', undefined, person.access)).json);
  });
  const [json = {}] = found;
  const valueAt = (key: string): unknown =>
    key.split('.').reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], json);
  const named: string[] = [];
  for (const [table, { inExport }] of declarations) {
    if (typeof inExport === 'string') continue;
    for (const key of inExport) expect({ table, key, value: valueAt(key) }).not.toMatchObject({ value: undefined });
    const isRead = statements.some(text => new RegExp(`(?:from|join) "?${table}\\b`).test(text));
    expect({ table, isRead }).toEqual({ table, isRead: true });
    named.push(...inExport);
  }
  const keys = Object.keys(json).filter(key => key !== 'generated_at');
  expect(keys.filter(key => !named.some(one => one.split('.')[0] === key))).toEqual([]);
});

test('the erasure deletes from every table, except what is declared to be left', async () => {
  await send(gateway, 'DELETE', '/auth/me/delete/', undefined, person.access);
  const [other] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
  // Deleted without leaving its groups, which the erasure must do then.
  for (const [path, body] of [
    ['/community/groups/', { name: 'Gout too', condition_tags: ['gout'] }],
    ['/chat/groups/', { name: 'Talk too', participant_ids: [] }],
  ] as const)
    await send(gateway, 'POST', path, body, other.access);
  await sql`update users set deleted_at = ${gateway.clock.now}, is_active = false where id = ${other.id}`.execute(
    gateway.database.sql,
  );
  const statements = await gateway.statements(() =>
    inTransaction(gateway.database, db => eraseDeletedAccounts(db, gateway.clock.now, 0)),
  );
  const isErased = (table: string): boolean =>
    statements.some(text => new RegExp(`delete from "?${table}\\b`).test(text));
  for (const { table, parent, isCascade } of await personTables()) {
    const left = declarations.get(table)?.left;
    const isGone = isErased(table) || (isCascade && parent !== 'users' && isErased(parent));
    expect({ table, isAccountedFor: left !== undefined || isGone }).toEqual({ table, isAccountedFor: true });
  }
});
