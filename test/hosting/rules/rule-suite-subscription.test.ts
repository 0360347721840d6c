import { afterAll, expect, test } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { sql } from 'kysely';
import { WebSocket } from 'ws';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { type TestGateway, testGateway } from '../../harness/gateway.ts';
import { demoOf } from '../../harness/hosting.ts';
import { newWorld, type World } from '../contents/world.ts';
import { changeRef, commitBy, ruleset } from './push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const beside = await testGateway({ beside: gateway });
const { wren, linh } = (await demoOf(gateway)).users;
const token = wren.classic_token;

const clients: Client[] = [];
afterAll(async () => {
  for (const client of clients) await client.dispose();
});

interface Event {
  data?: { ruleSuiteAdded: { ref: string; result: string } | null } | null;
  errors?: readonly { extensions?: { code?: unknown } }[];
}

function listen(at: TestGateway, access: string, repositoryId: string): AsyncIterableIterator<Event> {
  const client = createClient({
    url: `${at.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: { Authorization: `Bearer ${access}` },
  });
  clients.push(client);
  return client.iterate({
    query: `subscription($id: ID!) { ruleSuiteAdded(repositoryId: $id) { ref result actor { login } repository { name }
      evaluations { ruleType result } } }`,
    variables: { id: repositoryId },
  }) as AsyncIterableIterator<Event>;
}

/** A repository in which no branch can be deleted. */
async function ruledWorld(isPrivate = false): Promise<World> {
  const world = await newWorld(gateway, token, { isPrivate });
  await ruleset(gateway, world, token, {
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'deletion' }],
  });
  await commitBy(gateway, 'commit', world, { branch: 'main', token });
  return world;
}

const idOf = ({ id }: World): string => encodeGlobalId('Repository', id);

/** Whether a gateway listens for the suites: a push before that is not delivered. */
async function untilListening(): Promise<void> {
  for (;;) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where application_name = 'portico-notices' and query like '%rule_suites%'`.execute(gateway.database.sql);
    if (rows.length > 0) return;
  }
}

test('suites of accepted and refused pushes arrive from every gateway, each once and in order', async () => {
  const world = await ruledWorld();
  const events = listen(beside, token, idOf(world));
  const first = events.next();
  await untilListening();
  const refs: string[] = [];
  const push = async (branch: string): Promise<void> => {
    await commitBy(gateway, 'ref', world, { branch, token });
    refs.push(`refs/heads/${branch}`);
  };
  // The suite that the subscription finds at its start is not delivered; which of the next ones is the first is not certain.
  let arrived: IteratorResult<Event> | undefined;
  void first.then(result => {
    arrived = result;
  });
  for (let at = 0; arrived === undefined; at++) await push(`early-${at}`);
  const seen = arrived.value.data?.ruleSuiteAdded?.ref ?? '';
  expect(refs).toContain(seen);
  await changeRef(gateway, world, 'deleteRef', { ref: 'refs/heads/early-0', token });
  refs.push('refs/heads/early-0');
  const expected = refs.slice(refs.indexOf(seen) + 1);
  const later: string[] = [];
  for (const _ of expected) {
    const { value } = await events.next();
    later.push(value.data.ruleSuiteAdded.ref);
    if (later.length === expected.length) {
      expect(value.data.ruleSuiteAdded).toEqual({
        ref: 'refs/heads/early-0',
        result: 'FAIL',
        actor: { login: 'wren' },
        repository: { name: world.name },
        evaluations: [{ ruleType: 'DELETION', result: 'FAIL' }],
      });
    }
  }
  expect(later).toEqual(expected);
  await events.return?.();
});

test.each([
  ['of another kind of id', () => encodeGlobalId('User', 1), token, 'BAD_USER_INPUT'],
  ['of an absent repository', () => encodeGlobalId('Repository', 987654321), token, 'NOT_FOUND'],
])('a subscription %s does not start', async (_, id, access, code) => {
  const events = listen(gateway, access, id());
  const problem = await events.next().catch((error: unknown) => ({ error }));
  expect(JSON.stringify(problem)).toContain(code);
});

test('a subscription does not start for callers who do not administer the repository', async () => {
  const world = await ruledWorld(true);
  const problem = await listen(gateway, linh.classic_token, idOf(world))
    .next()
    .catch((error: unknown) => ({ error }));
  expect(JSON.stringify(problem)).toContain('NOT_FOUND');
});

test('a subscription ends when the caller loses the repository', async () => {
  const world = await ruledWorld();
  const events = listen(gateway, token, idOf(world));
  const next = events.next();
  await untilListening();
  let arrived = false;
  void next.then(() => {
    arrived = true;
  });
  for (let at = 0; !arrived; at++) await commitBy(gateway, 'ref', world, { branch: `b-${at}`, token });
  await sql`delete from collaborator where repository_id = ${world.id}`.execute(gateway.database.sql);
  await sql`update repository set owner_id = (select id from account where login = 'linh') where id = ${world.id}`.execute(
    gateway.database.sql,
  );
  await sql`select pg_notify('portico_rule_suites', ${String(world.id)})`.execute(gateway.database.sql);
  let last = await events.next();
  while (!last.done) last = await events.next();
  expect(last.done).toBe(true);
});
