import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeCursor } from '../../schema/vocabulary/cursor.ts';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../src/db/database.ts';
import { encodeCommit } from '../../src/git/commit.ts';
import { createObject, type GitObject } from '../../src/git/object.ts';
import { readCommit } from '../../src/git/read-objects.ts';
import { openRepository, unlimitedSource } from '../../src/git/repository.ts';
import { writeObjects } from '../../src/git/write-objects.ts';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, call, demoOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { STATEMENT_TIMEOUT_MS: '60000' },
});
/** The same database with limits. */
const limited = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: 'on' } });
const demo = await demoOf(gateway);
const { database } = gateway;
const token = demo.users.wren.classic_token;
const megabyte = 1024 * 1024;
const tooLarge = { extensions: expect.objectContaining({ code: 'ANSWER_TOO_LARGE' }) };

interface Delivery {
  databaseId: number;
  request: { payload: { text: string } | null } | null;
}

/** Creates deliveries with payloads of these sizes in bytes, oldest first. Returns their ids. */
async function deliveries(count: number, bytes: number, answer = 0): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into webhook_delivery (app_id, guid, event, payload, created_at, delivered_at, status, status_code, url,
      request_headers, response_headers, response_payload)
    select ${demo.app.id}, gen_random_uuid(), 'push', '{"text":"' || repeat('x', ${bytes - 11}) || '"}', now(), now(), 'OK', 200,
      'https://receiver.example.org/', '{"a":"b"}', '{"c":"d"}', repeat('y', ${answer})
    from generate_series(1, ${count}::int) returning id`.execute(database.sql);
  return rows.map(({ id }) => id);
}

const webhook = (below: string): string =>
  `{ node(id: "${encodeGlobalId('App', Number(demo.app.id))}") { ... on App { webhook { ${below} } } } }`;
const list = 'deliveries(first: 100) { nodes { databaseId request { payload } } }';

describe('payloads of deliveries', () => {
  let small: number[];
  let large: number[];
  beforeAll(async () => {
    small = await deliveries(3, 1_000, 500);
    large = await deliveries(5, 24 * megabyte);
  });

  test('are returned in a list with up to 8 MB in total, and are one error in a larger list', async () => {
    const { data } = await graphql(gateway, webhook('deliveries(first: 5) { pageInfo { endCursor } }'), token);
    const { endCursor } = data.node.webhook.deliveries.pageInfo;
    const page = `deliveries(first: 3, after: "${endCursor}") { nodes { databaseId request { payload } } }`;
    const fitting = await graphql(gateway, webhook(page), token);
    expect(fitting.errors).toBeUndefined();
    const nodes: Delivery[] = fitting.data.node.webhook.deliveries.nodes;
    expect(nodes.map(({ request }) => request?.payload?.text.length)).toEqual([989, 989, 989]);
    const { errors } = await graphql(gateway, webhook(list), token);
    expect(errors).toEqual([
      expect.objectContaining({ ...tooLarge, path: ['node', 'webhook', 'deliveries', 'nodes'] }),
    ]);
  });

  test('share 8 MB over all aliases of a document', async () => {
    const few = 'deliveries(first: 2) { nodes { request { payload } } }';
    const of = (aliases: number): string =>
      webhook(Array.from({ length: aliases }, (_, at) => `a${at}: ${few}`).join(' '));
    await deliveries(2, 2 * megabyte);
    expect((await graphql(gateway, of(2), token)).errors).toBeUndefined();
    expect((await graphql(gateway, of(3), token)).errors[0]).toMatchObject(tooLarge);
  });

  test('are not repeated in a response beyond its maximum size', async () => {
    const aliases = Array.from({ length: 90 }, (_, at) => `p${at}: payload`).join(' ');
    const [one] = await deliveries(1, megabyte);
    const query = webhook(`delivery(id: "${encodeGlobalId('WebhookDelivery', one ?? 0)}") { request { ${aliases} } }`);
    const { status, json } = await call(gateway, 'POST', '/graphql', `Bearer ${token}`, { query });
    expect([status, json.data, json.errors]).toEqual([422, null, [expect.objectContaining(tooLarge)]]);
  });

  test('cost points', async () => {
    const query = `{ ${Array.from({ length: 18 }, (_, at) => `a${at}: ${webhook(list).slice(2, -2)}`).join(' ')} rateLimit(dryRun: true) { cost } }`;
    const { data } = await graphql(limited, query, token);
    expect(data.rateLimit.cost).toBe(18);
  });

  test('of a single delivery are returned by GraphQL up to 8 MB and by REST in any size', async () => {
    const query = (id: number | undefined): string =>
      webhook(`delivery(id: "${encodeGlobalId('WebhookDelivery', id ?? 0)}") { request { headers payload } }`);
    const one = await graphql(gateway, query((await deliveries(1, 7 * megabyte))[0]), token);
    expect(one.errors).toBeUndefined();
    expect(one.data.node.webhook.delivery.request.payload.text).toHaveLength(7 * megabyte - 11);
    expect((await graphql(gateway, query(large[0]), token)).errors[0]).toMatchObject(tooLarge);
    const whole = await call(
      gateway,
      'GET',
      `/app/hook/deliveries/${large[0]}`,
      `Bearer ${await appJwt(gateway, demo)}`,
    );
    expect(whole.json.request.payload.text).toHaveLength(24 * megabyte - 11);
    const path = `/app/hook/deliveries/${small[0]}`;
    const { status, json } = await call(gateway, 'GET', path, `Bearer ${await appJwt(gateway, demo)}`);
    expect([status, json.request.payload.text.length, json.request.headers]).toEqual([200, 989, { a: 'b' }]);
    expect([json.response.payload.length, json.response.headers]).toEqual([500, { c: 'd' }]);
  });

  test('are read in one statement, and only if selected', async () => {
    const statementsOf = async (below: string): Promise<string[]> => {
      const sent = await gateway.statements(() =>
        graphql(gateway, webhook(`deliveries(first: 2) { nodes { ${below} } }`), token),
      );
      return sent.filter(text => /from webhook_delivery/.test(text));
    };
    expect(await statementsOf('request { payload }')).toHaveLength(1);
    const [bare] = await statementsOf('databaseId request { headers } response { headers }');
    expect(bare).not.toMatch(/payload/);
  });
});

describe('bodies of articles', () => {
  beforeAll(async () => {
    await sql`update article set body = repeat('z', ${900 * 1024})`.execute(database.sql);
  });

  test('beyond 8 MB are an error of the list', async () => {
    const { json } = await gateway.graphql('{ articles(first: 60) { nodes { id body } } }');
    expect(json.errors[0]).toMatchObject(tooLarge);
    expect((await gateway.graphql('{ articles(first: 60) { nodes { id headline } } }')).json.errors).toBeUndefined();
  });

  test('count over all aliases', async () => {
    const aliases = [15, 30, 45]
      .map(at => `p${at}: articles(first: 15, after: "${encodeCursor('ArticleConnection', at)}") { nodes { body } }`)
      .join(' ');
    expect((await gateway.graphql(`{ ${aliases} }`)).json.errors[0]).toMatchObject(tooLarge);
  });

  test('are not repeated in a response beyond its maximum size', async () => {
    // The same few articles, each loaded once, at a hundred positions.
    const { status, json } = await gateway.graphql(
      `{ ${'abcdef'
        .split('')
        .map(name => `${name}: articles(first: 8) { nodes { body } }`)
        .join(' ')} }`,
    );
    expect([status, json.data, json.errors]).toEqual([422, null, [expect.objectContaining(tooLarge)]]);
  });

  test('are returned for a page within the limit and for a single article', async () => {
    const { json } = await gateway.graphql(
      '{ articles(first: 5) { nodes { id body } } article(databaseId: 1) { body } }',
    );
    expect(json.errors).toBeUndefined();
    expect(json.data.articles.nodes.map(({ body }: { body: string }) => body.length)).toEqual(
      Array(5).fill(900 * 1024),
    );
    expect(json.data.article.body).toHaveLength(900 * 1024);
  });
});

describe('rules of rulesets', () => {
  test('share 8 MB, and are read only if selected', async () => {
    await sql`insert into ruleset (repository_id, name, target, enforcement, conditions, rules, created_at, updated_at)
      select r.id, 'large ' || n, 'branch', 'disabled', '{"ref_name":{"include":["~ALL"],"exclude":[]}}',
        jsonb_build_array(jsonb_build_object('type', 'deletion', 'parameters', jsonb_build_object('text', repeat('w', ${megabyte}))))
      , now(), now() from repository r join account o on o.id = r.owner_id, generate_series(1, 40) n
      where o.login = 'harbor-lab' and r.name = 'compass'`.execute(database.sql);
    const rulesets = (below: string): string =>
      `{ repository(owner: "harbor-lab", name: "compass") { rulesets(first: 100) { nodes { ${below} } } } }`;
    const whole = await graphql(gateway, rulesets('name rules { totalCount }'), token);
    expect(whole.errors[0]).toMatchObject(tooLarge);
    const bare = await graphql(gateway, rulesets('name'), token);
    expect(bare.errors).toBeUndefined();
    expect(bare.data.repository.rulesets.nodes.length).toBeGreaterThanOrEqual(40);
  });
});

describe('commits', () => {
  test('of a history share 8 MB', async () => {
    const message = 'm'.repeat(900 * 1024);
    const { rows } = await sql<{ id: number; tip: string }>`select r.id, encode(g.oid, 'hex') as tip from repository r
      join account o on o.id = r.owner_id join git_ref g on g.repository_id = r.id and g.name = 'refs/heads/main'
      where o.login = 'harbor-lab' and r.name = 'tides'`.execute(database.sql);
    const { id = 0, tip = '' } = rows[0] ?? {};
    const { tree } = await readCommit(openRepository(unlimitedSource(database.read), id), tip);
    const objects: GitObject[] = [];
    let parents = [tip];
    for (let number = 0; number < 20; number++) {
      const person = { name: 'Wren', email: 'wren@example.org', seconds: 1_790_000_000 + number, zone: '+0000' };
      const commit = createObject(
        'commit',
        encodeCommit({ tree, parents, author: person, committer: person, message }),
      );
      objects.push(commit);
      parents = [commit.oid];
    }
    await inTransaction(database, async db => {
      await writeObjects({ db, repositoryId: id, now: gateway.clock.now }, objects);
      await sql`update git_ref set oid = decode(${parents[0] ?? ''}, 'hex') where repository_id = ${id} and name = 'refs/heads/main'`.execute(
        db,
      );
    });
    const history = (first: number): string =>
      `{ repository(owner: "harbor-lab", name: "tides") { object(expression: "HEAD") { ... on Commit {
        history(first: ${first}) { nodes { message } } } } } }`;
    expect((await graphql(gateway, history(20), token)).errors[0]).toMatchObject(tooLarge);
    const few = await graphql(gateway, history(3), token);
    expect(few.data.repository.object.history.nodes.map((one: { message: string }) => one.message.length)).toEqual(
      Array(3).fill(900 * 1024),
    );
  });
});
