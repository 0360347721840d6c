import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';
import { until } from '../jobs/job-harness.ts';

const gateway = await testGateway({ data: 'demo' });
const beside = await testGateway({ beside: gateway });
const { wren, linh } = (await demoOf(gateway)).users;
const db = gateway.database.sql;
const hourMs = 60 * 60_000;

const move = (ms: number): void => {
  gateway.clock.now = new Date(gateway.clock.now.getTime() + ms);
};

interface Use {
  at: string;
  /** Changes with every write of the row. */
  version: string;
}

async function storedUse(token: string): Promise<Use | undefined> {
  const { rows } = await sql<Use>`select to_char(u.used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at,
    u.xmin::text as version from token_use u join host_credential c on c.id = u.credential_id
    where c.last_eight = ${token.slice(-8)}`.execute(db);
  return rows[0];
}

const now = (): string => gateway.clock.now.toISOString().replace('.000Z', 'Z');
const stored = (token: string): Promise<Use> =>
  until('the use is stored', async () => {
    const use = await storedUse(token);
    return use?.at === now() ? use : undefined;
  });
const rest = (token: string, at = gateway): Promise<unknown> => call(at, 'GET', '/user', `Bearer ${token}`);

async function lastUsedAt(token: string): Promise<string | null | undefined> {
  const { data } = await graphql(
    gateway,
    '{ viewer { tokens(first: 100) { nodes { lastEight lastUsedAt } } } }',
    token,
  );
  return data.viewer.tokens.nodes.find((one: { lastEight: string }) => one.lastEight === token.slice(-8)).lastUsedAt;
}

test('a request by REST and one by GraphQL record the use, and another within the hour writes nothing', async () => {
  const token = wren.classic_token;
  expect(await storedUse(token)).toBeUndefined();
  expect(await lastUsedAt(token)).toBeNull();
  const first = await stored(token);
  expect(new Date((await lastUsedAt(token)) ?? 0)).toEqual(gateway.clock.now);
  move(hourMs - 1_000);
  await rest(token);
  // Neither does a gateway that does not know the first use; that it has stored another token shows that it has written.
  await rest(token, beside);
  await rest(linh.classic_token, beside);
  await stored(linh.classic_token);
  expect(await storedUse(token)).toEqual(first);
  move(1_000);
  await rest(token);
  expect((await stored(token)).version).not.toBe(first.version);
});

test('a refused token records nothing', async () => {
  const token = linh.classic_token;
  const before = await storedUse(token);
  move(2 * hourMs);
  await sql`update host_credential set revoked_at = now() where last_eight = ${token.slice(-8)}`.execute(db);
  await until(
    'the token is refused',
    async () => (await call(gateway, 'GET', '/user', `Bearer ${token}`)).status === 401,
  );
  await rest(wren.classic_token);
  await stored(wren.classic_token);
  expect(await storedUse(token)).toEqual(before);
});

test('the field costs a statement only where it is selected', async () => {
  const sent = await gateway.statements(() =>
    graphql(gateway, '{ viewer { tokens(first: 10) { nodes { lastEight } } } }', wren.classic_token),
  );
  expect(sent.filter(text => text.includes('token_use'))).toEqual([]);
});

test('a gateway that stops writes the uses that wait', async () => {
  move(2 * hourMs);
  await rest(wren.classic_token, beside);
  await beside.stop();
  expect((await storedUse(wren.classic_token))?.at).toBe(now());
});
