import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { createAccounts } from '../harness/accounts.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';
import { base64, newWorld } from '../hosting/contents/world.ts';

const gateway = await testGateway({ settings: { REQUEST_TIMEOUT_MS: '1000' } });
const demo = await demoOf(gateway);
const { classic_token: token } = demo.users.wren;
const authorization = `Bearer ${token}`;
const [person] = await createAccounts(gateway, 1);

// Statements with a row trigger on these tables wait for the lock 7, at once or in the COMMIT.
await sql`create function wait_for_test() returns trigger language plpgsql as $$ begin
  perform set_config('lock_timeout', '0', true);
  perform pg_advisory_xact_lock_shared(7);
  return null; end $$`.execute(gateway.database.sql);

type Moment = 'before the COMMIT' | 'in the COMMIT';

async function waiting<T>(moment: Moment, table: string, work: (lock: pg.Client) => Promise<T>): Promise<T> {
  const kind = moment === 'in the COMMIT' ? sql`constraint trigger` : sql`trigger`;
  const when = moment === 'in the COMMIT' ? sql`deferrable initially deferred` : sql``;
  const on = sql.table(table);
  await sql`create ${kind} wait_for_test after insert or update on ${on} ${when}
    for each row execute function wait_for_test()`.execute(gateway.database.sql);
  const lock = new pg.Client(gateway.databaseUrl);
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock(7)');
    return await work(lock);
  } finally {
    await lock.end();
    await transactionsEnded();
    await sql`drop trigger wait_for_test on ${on}`.execute(gateway.database.sql);
  }
}

const sessions = (condition: string): Promise<{ count: number }[]> =>
  gateway.database.read(sql`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and ${sql.raw(condition)}`);

async function transactionsEnded(): Promise<void> {
  while ((await sessions("application_name = 'portico write' and state <> 'idle'"))[0]?.count !== 0);
}

/** Resolves when a statement waits for the lock, or with the answer if there is one before. */
async function orWaits<T>(sent: Promise<T>): Promise<T | undefined> {
  let answer: { value: T } | undefined;
  void sent.then(value => {
    answer = { value };
  });
  while (!answer && (await sessions("wait_event = 'advisory'"))[0]?.count === 0);
  return answer?.value;
}

/** Resolves when a read that was sent now is answered by its time limit: that of everything sent before has passed. */
async function limitHasPassed(): Promise<void> {
  const locker = new pg.Client(gateway.databaseUrl);
  await locker.connect();
  await locker.query('begin; lock table ad in access exclusive mode');
  // Signed in, because anonymous reads end earlier, by their statement timeout.
  const answer = await call(gateway, 'GET', '/api/v1/ads/', `Bearer ${person?.access}`);
  await locker.end();
  expect([answer.status, answer.json.detail]).toEqual([503, expect.any(String)]);
}

const one = await newWorld(gateway, token);
const write = (path: string): Promise<Answer> => one.put(path, { message: 'm', content: base64('x') });
/** The table that is written last, the write, and whether its result is there. */
const writes: [name: string, table: string, send: () => Promise<Answer>, isWritten: () => Promise<boolean>][] = [
  [
    'PUT contents',
    'git_ref',
    () => write('/contents/a.txt'),
    async () => (await one.get('/contents/a.txt')).status === 200,
  ],
  [
    'POST of a ruleset',
    'ruleset',
    () =>
      call(gateway, 'POST', `/repos/${one.owner}/${one.name}/rulesets`, authorization, {
        name: 'late',
        enforcement: 'disabled',
      }),
    async () => (await one.get('/rulesets')).json.length > 0,
  ],
  [
    'a mutation',
    'repository',
    () =>
      call(gateway, 'POST', '/graphql', authorization, {
        query: 'mutation { createRepository(input: { name: "late", visibility: PUBLIC }) { repository { name } } }',
      }),
    async () => (await call(gateway, 'GET', `/repos/${one.owner}/late`, authorization)).status === 200,
  ],
];

describe.each(writes)('%s', (_name, table, send, isWritten) => {
  test('whose time passes before its commit is 503 and is not written', async () => {
    const answer = await waiting('before the COMMIT', table, send);
    expect(answer.status).toBe(503);
    expect(await isWritten()).toBe(false);
  });

  test('whose time passes in its commit is answered by its outcome', async () => {
    const answer = await waiting('in the COMMIT', table, async lock => {
      const sent = send();
      const first = (await orWaits(sent)) ?? (await Promise.race([sent, limitHasPassed()]));
      await lock.query('select pg_advisory_unlock(7)');
      return first ?? (await sent);
    });
    expect([200, 201]).toContain(answer.status);
    expect(await isWritten()).toBe(true);
  });
});

test('a write whose statements and COMMIT are sent together is answered by its outcome', async () => {
  const [article] = await gateway.database.read(sql<{ id: number }>`select id from article order by id limit 1`);
  const like = (): Promise<Answer> =>
    call(gateway, 'POST', `/api/v1/articles/${article?.id}/like/`, `Bearer ${person?.access}`);
  const answer = await waiting('before the COMMIT', 'article_like', async lock => {
    const sent = like();
    const first = (await orWaits(sent)) ?? (await Promise.race([sent, limitHasPassed()]));
    await lock.query('select pg_advisory_unlock(7)');
    return first ?? (await sent);
  });
  expect([answer.status, answer.json.liked]).toEqual([201, true]);
});

test('writes that share a transaction are answered by its outcome', async () => {
  const world = await newWorld(gateway, token);
  await world.commit({ 'first.txt': 'x' });
  const put = (name: string): Promise<Answer> => world.put(`/contents/${name}`, { message: 'm', content: base64('x') });
  const answers = await waiting('before the COMMIT', 'git_ref', async lock => {
    const sent = ['a', 'b', 'c'].map(put);
    await orWaits(Promise.race(sent));
    await Promise.race([...sent, limitHasPassed()]);
    await lock.query('select pg_advisory_unlock(7)');
    return Promise.all(sent);
  });
  for (const [at, { status }] of answers.entries()) {
    const isThere = (await world.get(`/contents/${['a', 'b', 'c'][at]}`)).status === 200;
    expect({ at, status: [201, 503, 409].includes(status), isThere }).toEqual({
      at,
      status: true,
      isThere: status === 201,
    });
  }
});

test('of several mutations in one document, those after the first commit are not cut off', async () => {
  const create = (name: string): string =>
    `createRepository(input: { name: "${name}", visibility: PUBLIC }) { repository { name } }`;
  const answer = await waiting('in the COMMIT', 'repository', async lock => {
    const sent = graphql(gateway, `mutation { a: ${create('both-a')} b: ${create('both-b')} }`, token);
    await orWaits(sent);
    await limitHasPassed();
    await lock.query('select pg_advisory_unlock(7)');
    return sent;
  });
  expect(answer.data).toEqual({ a: { repository: { name: 'both-a' } }, b: { repository: { name: 'both-b' } } });
});
