import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { inTransaction } from '../../../src/db/database.ts';
import { insertCredential } from '../../../src/hosting/credentials/insert-credential.ts';
import { maintainEventPartitions } from '../../../src/hosting/events/events.tasks.ts';
import { testGateway } from '../../harness/gateway.ts';
import { demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ now: '2026-11-01T12:00:00Z' });
const demo = await demoOf(gateway);
const { juniper, tomas, wren } = demo.users;
const { database, clock } = gateway;
const day = 24 * 60 * 60_000;
const start = clock.now.getTime();

const get = (path: string, token?: string, headers: Record<string, string> = {}) =>
  gateway.request(path, {
    headers: {
      'user-agent': 'portico tests',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
const mutate = async (query: string, token: string) => {
  const { data, errors } = await graphql(gateway, `mutation { ${query} }`, token);
  expect(errors).toBeUndefined();
  return data;
};

const star = async (mutation: 'addStar' | 'removeStar', path: string, token: string) =>
  mutate(`${mutation}(input: { starrableId: "${await globalIdOf(gateway, path)}" }) { starrable { id } }`, token);

/** Ids in the demo world. */
const ids = {
  wren: 1,
  juniper: 2,
  tomas: 3,
  linh: 4,
  okello: 5,
  compass: 0,
  ledger: 0,
  notebook: 0,
  vault: 0,
  fork: 0,
};

/**
 * Inserts star events by `actor` in `repository`, one per minute, the last one `minutes` ago. Inserted directly,
 * because there are many.
 */
async function events(count: number, actor: number, repository: number, minutes = 10): Promise<void> {
  await sql`insert into event (created_at, type, actor_id, repository_id, owner_id, network_id, payload)
    select ${clock.now.toISOString()}::timestamptz - (${minutes}::int + ${count}::int - n) * interval '1 minute', 'WatchEvent', ${actor}::bigint, r.id, r.owner_id,
      coalesce(r.network_root_id, r.id), '{}' from generate_series(1, ${count}::int) n, repository r
    where r.id = ${repository} order by n`.execute(database.sql);
}

beforeAll(async () => {
  const { rows } = await sql<{ id: number; name: string }>`
    select r.id, o.login || '/' || r.name as name from repository r join account o on o.id = r.owner_id`.execute(
    database.sql,
  );
  const idOf = (name: string): number => rows.find(row => row.name === name)?.id ?? 0;
  Object.assign(ids, {
    compass: idOf('harbor-lab/compass'),
    ledger: idOf('harbor-lab/ledger'),
    notebook: idOf('juniper/notebook'),
    vault: idOf('northgate/vault'),
    fork: idOf('tomas/compass'),
  });
  await sql`delete from event`.execute(database.sql);
  await sql`delete from follow`.execute(database.sql);
  await sql`delete from watch`.execute(database.sql);
  await sql`delete from star`.execute(database.sql);
  await events(1, ids.wren, ids.compass);
  await events(1, ids.juniper, ids.ledger);
  await events(1, ids.juniper, ids.notebook);
  await events(1, ids.juniper, ids.fork);
  await events(1, ids.wren, ids.vault);
  // Linh can read the ledger; Tomas can read the vault only with single sign-on.
  await sql`insert into follow (follower_id, followed_id, followed_at)
    values (${ids.linh}, ${ids.juniper}, now()), (${ids.tomas}, ${ids.wren}, now())`.execute(database.sql);
  await sql`insert into watch (account_id, repository_id, watched_at)
    values (${ids.linh}, ${ids.compass}, now()), (${ids.linh}, ${ids.notebook}, now()), (${ids.tomas}, ${ids.ledger}, now())`.execute(
    database.sql,
  );
});

/** Repository names in a feed, newest event first; or the status of an error. */
async function repositories(path: string, token?: string): Promise<string[] | number> {
  const { status, json } = await get(path, token);
  return status === 200 ? (json as { repo: { name: string } }[]).map(({ repo }) => repo.name) : status;
}

describe('visibility', () => {
  const [compass, ledger, notebook, vault, fork] = [
    'harbor-lab/compass',
    'harbor-lab/ledger',
    'juniper/notebook',
    'northgate/vault',
    'tomas/compass',
  ];
  const open = [fork, compass];
  const classic = (who: keyof typeof demo.users) => demo.users[who].classic_token;
  /** Feed → caller → content. Omitted callers get the anonymous content. */
  const matrix: Record<string, Record<string, string[] | number>> = {
    '/events': { anonymous: open, wren: open, installation: open },
    '/networks/harbor-lab/compass/events': { anonymous: open, juniper: open },
    '/networks/tomas/compass/events': { anonymous: open },
    '/networks/harbor-lab/ledger/events': { anonymous: 404, juniper: [], linh: 404, installation: [] },
    '/orgs/harbor-lab/events': { anonymous: [compass], wren: [compass], installation: [compass] },
    '/orgs/northgate/events': { anonymous: [], wren: [] },
    '/orgs/wren/events': { anonymous: 404 },
    '/orgs/nobody/events': { anonymous: 404 },
    '/repos/harbor-lab/ledger/events': { anonymous: 404, juniper: [ledger], okello: 404, installation: [ledger] },
    '/repos/harbor-lab/compass/events': { anonymous: [compass], okello: [compass], installation: [compass] },
    '/repos/northgate/vault/events': { anonymous: 404, wren: [vault], tomas: 403 },
    '/repos/harbor-lab/nothing/events': { anonymous: 404, wren: 404 },
    '/users/juniper/events': {
      anonymous: [fork],
      wren: [fork],
      juniper: [fork, notebook, ledger],
      'juniper, without events: read': [fork],
      'juniper, with events: read': [fork, ledger],
      installation: [fork],
    },
    '/users/juniper/events/public': { anonymous: [fork], juniper: [fork] },
    '/users/wren/events': { anonymous: [compass], wren: [vault, compass] },
    '/users/nobody/events': { anonymous: 404 },
    '/users/juniper/events/orgs/harbor-lab': {
      anonymous: 404,
      wren: 404,
      juniper: [ledger, compass],
      'juniper, without events: read': [compass],
      installation: 404,
    },
    '/users/tomas/events/orgs/northgate': { tomas: [], wren: 404 },
    '/users/juniper/events/orgs/nobody': { juniper: 404 },
    '/users/linh/received_events': { anonymous: open, linh: open, juniper: open },
    '/users/linh/received_events/public': { anonymous: open, linh: open },
    '/users/tomas/received_events': { anonymous: [compass], tomas: [ledger, compass] },
    '/users/tomas/received_events/public': { anonymous: [compass], tomas: [compass] },
    '/users/nobody/received_events': { anonymous: 404 },
  };
  const tokens: Record<string, () => Promise<string | undefined> | string | undefined> = {
    anonymous: () => undefined,
    installation: () => made({ kind: 'installation', permissions: { metadata: 'read' } }),
    'juniper, with events: read': () =>
      made({ kind: 'fine_grained', accountId: ids.juniper, resourceOwnerId: 6, permissions: { events: 'read' } }),
    'juniper, without events: read': () =>
      made({ kind: 'fine_grained', accountId: ids.juniper, resourceOwnerId: 6, permissions: { contents: 'read' } }),
  };

  async function made(one: object): Promise<string> {
    const { rows } = await sql<{ appId: number; installationId: number }>`
      select app_id as "appId", id as "installationId" from installation limit 1`.execute(database.sql);
    const app = (one as { kind: string }).kind === 'installation' ? rows[0] : {};
    return (await inTransaction(database, db => insertCredential(db, { ...one, ...app } as never, clock.now))).token;
  }

  for (const [path, row] of Object.entries(matrix)) {
    test(path, async () => {
      const seen: Record<string, string[] | number> = {};
      for (const caller of Object.keys(row)) {
        const token = caller in tokens ? await tokens[caller]?.() : classic(caller as keyof typeof demo.users);
        seen[caller] = await repositories(path, token);
      }
      expect(seen).toEqual(row);
    });
  }

  test('a new collaborator sees private events at once, a removed one no longer', async () => {
    const path = '/users/linh/received_events';
    const { token } = await inTransaction(database, db =>
      insertCredential(db, { kind: 'classic', accountId: ids.linh, scopes: ['repo'] }, clock.now),
    );
    expect(await repositories(path, token)).toEqual([fork, ledger, compass]);
    const named = 'repository: { named: { owner: "harbor-lab", name: "ledger" } }';
    const userId = await globalIdOf(gateway, 'linh');
    await mutate(`removeCollaborator(input: { ${named}, userId: "${userId}" }) { user { id } }`, wren.classic_token);
    expect(await repositories(path, token)).toEqual([fork, compass]);
    expect(await repositories(path)).toEqual([fork, compass]);
  });

  test('events of a repository made private leave all feeds at once, and return when it is public', async () => {
    const id = await globalIdOf(gateway, 'tomas/compass');
    const set = (isPrivate: boolean) => {
      const visibility = isPrivate ? 'PRIVATE' : 'PUBLIC';
      return mutate(
        `updateRepository(input: { repositoryId: "${id}", visibility: ${visibility} }) { repository { id } }`,
        tomas.classic_token,
      );
    };
    const paths = ['/events', '/networks/harbor-lab/compass/events', '/users/juniper/events/public'];
    const tags = await Promise.all(paths.map(async path => (await get(path)).headers.get('etag') ?? ''));
    await set(true);
    for (const [at, path] of paths.entries()) {
      const { status, json } = await get(path, undefined, { 'if-none-match': tags[at] ?? '' });
      expect(status).toBe(200);
      expect((json as { repo: { name: string } }[]).some(({ repo }) => repo.name === fork)).toBe(false);
    }
    expect(await repositories('/users/juniper/events', juniper.classic_token)).toEqual([notebook, ledger]);
    await sql`delete from event where type = 'PublicEvent'`.execute(database.sql);
    await set(false);
    expect(await repositories('/users/juniper/events/public')).toEqual([fork]);
    await sql`delete from event where type = 'PublicEvent'`.execute(database.sql);
  });
});

describe('pages', () => {
  const path = '/repos/linh/attic/events';

  beforeAll(async () => {
    const { rows } = await sql<{ id: number }>`select id from repository where name = 'attic'`.execute(database.sql);
    await events(320, ids.linh, rows[0]?.id ?? 0);
  });

  test('have 30 events, with working links that use the repository id', async () => {
    const first = await get(path);
    const by = `${gateway.url}/repositories/9/events`;
    expect(first.json).toHaveLength(30);
    expect(first.headers.get('link')).toBe(`<${by}?page=2>; rel="next", <${by}?page=10>; rel="last"`);
    const last = await get('/repositories/9/events?page=10');
    expect(last.json).toHaveLength(30);
    expect(last.headers.get('link')).toBe(`<${by}?page=9>; rel="prev", <${by}?page=1>; rel="first"`);
    const all: { id: string }[] = [];
    for (let page = 1; page <= 3; page++) all.push(...(await get(`${path}?per_page=100&page=${page}`)).json);
    const numbers = all.map(({ id }) => Number(id));
    expect(numbers).toHaveLength(300);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => b - a));
  });

  test('beyond 300 events are rejected', async () => {
    for (const beyond of ['?page=11', '?per_page=100&page=4', '?per_page=1&page=301', '?page=99999999999999']) {
      const { status, json } = await get(`${path}${beyond}`);
      expect({ beyond, status }).toEqual({ beyond, status: 422 });
      expect(json).toEqual({
        message: 'In order to keep the API fast for everyone, pagination is limited for this resource.',
        documentation_url: `${gateway.url}/docs/v3/#pagination`,
        status: '422',
      });
    }
    expect((await get(`${path}?per_page=70&page=5`)).json).toHaveLength(20);
    expect((await get(`${path}?per_page=x&page=0`)).json).toHaveLength(30);
  });

  test.each([
    ['/events', '/events'],
    ['/orgs/harbor-lab/events', '/organizations/6/events'],
    ['/users/juniper/events', '/user/2/events'],
    ['/users/juniper/events/orgs/harbor-lab', '/user/2/events/orgs/harbor-lab'],
    ['/users/juniper/events/public', '/user/2/events/public'],
    ['/users/linh/received_events', '/user/4/received_events'],
    ['/users/linh/received_events/public', '/user/4/received_events/public'],
    ['/networks/harbor-lab/compass/events', '/networks/1/events'],
  ])('of %s by id', async (named, byId) => {
    const token = juniper.classic_token;
    const one = await get(`${named}?per_page=1`, token);
    const link = one.headers.get('link');
    if (link !== null) expect(link).toContain(`<${gateway.url}${byId}?per_page=1&page=2>; rel="next"`);
    const other = await get(`${byId}?per_page=1`, token);
    expect(other.text).toBe(one.text);
    expect(other.status).toBe(200);
  });

  test('of a renamed repository redirect', async () => {
    for (const [from, to] of [
      ['/repos/harbor-lab/needle/events?page=1', '/repositories/1/events?page=1'],
      ['/networks/harbor-lab/needle/events', '/networks/1/events'],
    ]) {
      const { status, headers, json } = await get(String(from));
      expect(status).toBe(301);
      expect(headers.get('location')).toBe(`${gateway.url}${to}`);
      expect(json.message).toBe('Moved Permanently');
    }
  });
});

describe('conditional requests', () => {
  const path = '/users/juniper/events/public';

  test('are answered with 304 by ETag and by time until there is a new event', async () => {
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect(modified).toBe('Sun, 01 Nov 2026 11:50:00 GMT');
    expect(first.headers.get('x-poll-interval')).toBe('60');
    const known = { 'if-none-match': `"other", W/${etag}` };
    const statements = await gateway.statements(async () => {
      const again = await get(path, undefined, known);
      expect(again.status).toBe(304);
      expect(again.text).toBe('');
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('x-poll-interval')).toBe('60');
      expect(again.headers.get('content-type')).toBeNull();
    });
    // Database state, account and ETag; afterwards only the state. The usage of earlier requests is recorded by itself.
    expect(statements.filter(one => !one.includes('api_usage'))).toHaveLength(3);
    const polled: number[] = [];
    // Any write in the database server is a new state, and other tests write.
    while (!polled.includes(1) && polled.length < 500) {
      const sent = await gateway.statements(async () => {
        expect((await get(path, undefined, known)).status).toBe(304);
      });
      polled.push(sent.length);
    }
    expect(polled).toContain(1);
    expect((await get(path, undefined, { 'if-modified-since': modified })).status).toBe(304);
    const sooner = 'Sun, 01 Nov 2026 11:49:59 GMT';
    expect((await get(path, undefined, { 'if-modified-since': sooner })).status).toBe(200);
    expect((await get(path, undefined, { 'if-modified-since': 'yesterday' })).status).toBe(422);
    await events(1, ids.juniper, ids.compass, 1);
    const next = await get(path, undefined, known);
    expect(next.status).toBe(200);
    expect(next.json).toHaveLength(first.json.length + 1);
    expect(next.headers.get('last-modified')).toBe('Sun, 01 Nov 2026 11:59:00 GMT');
    expect((await get(path, undefined, { 'if-modified-since': modified })).status).toBe(200);
  });

  test('see renamed accounts and repositories', async () => {
    const etag = (await get(path)).headers.get('etag') ?? '';
    const asked = () => get(path, undefined, { 'if-none-match': etag });
    expect((await asked()).status).toBe(304);
    const id = await globalIdOf(gateway, 'tomas/compass');
    const rename = (name: string) =>
      mutate(
        `updateRepository(input: { repositoryId: "${id}", name: "${name}" }) { repository { id } }`,
        tomas.classic_token,
      );
    await rename('north');
    expect((await asked()).json[1].repo.name).toBe('tomas/north');
    await rename('compass');
    expect((await asked()).status).toBe(304);
  });

  test('to an empty feed have an ETag and no Last-Modified', async () => {
    const empty = await get('/orgs/northgate/events');
    expect(empty.json).toEqual([]);
    expect(empty.headers.get('last-modified')).toBeNull();
    expect(empty.headers.get('x-poll-interval')).toBe('60');
    const again = { 'if-none-match': empty.headers.get('etag') ?? '' };
    expect((await get('/orgs/northgate/events', undefined, again)).status).toBe(304);
  });
});

describe('time', () => {
  test('the public feed is five minutes late, others are not', async () => {
    await events(1, ids.okello, ids.compass, 0);
    const newest = async (path: string) => (await get(path)).json[0]?.actor.login;
    expect(await newest('/repos/harbor-lab/compass/events')).toBe('okello');
    expect(await newest('/events')).not.toBe('okello');
    clock.now = new Date(start + 5 * 60_000 - 1);
    expect(await newest('/events')).not.toBe('okello');
    clock.now = new Date(start + 5 * 60_000);
    expect(await newest('/events')).toBe('okello');
    clock.now = new Date(start);
  });

  test('events older than 90 days are in no feed, and their partition is dropped', async () => {
    const partitions = async () =>
      (
        await sql<{ name: string }>`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'event'::regclass order by 1`.execute(database.sql)
      ).rows.map(({ name }) => name);
    const inDefault = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from only event_default`.execute(database.sql)).rows[0]?.n;
    expect(await partitions()).toEqual(['event_default']);
    const before = await inDefault();
    const keep = () => inTransaction(database, db => maintainEventPartitions(db, clock.now));
    expect(await keep()).toEqual({ created: ['event_20261026', 'event_20261102', 'event_20261109'], dropped: [] });
    expect(await keep()).toEqual({ created: [], dropped: [] });
    // The rows moved, and none was lost.
    expect(await inDefault()).toBe(0);
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from event`.execute(database.sql);
    expect(rows[0]?.n).toBe(before);
    await star('addStar', 'harbor-lab/compass', juniper.classic_token);
    expect((await get('/repos/harbor-lab/compass/events')).json[0]).toMatchObject({
      type: 'WatchEvent',
      actor: { id: 2 },
    });
    clock.now = new Date(start + 90 * day - 1);
    expect((await get('/repos/harbor-lab/compass/events')).json).toHaveLength(2);
    clock.now = new Date(start + 90 * day);
    expect((await get('/repos/harbor-lab/compass/events')).json).toEqual([]);
    expect((await keep()).dropped).toEqual([]);
    clock.now = new Date(Date.parse('2026-11-02T00:00:00Z') + 90 * day);
    expect((await keep()).dropped).toEqual(['event_20261026']);
    // Much later: into the default partition, and out of it.
    clock.now = new Date(start + 400 * day);
    await star('addStar', 'harbor-lab/tides', juniper.classic_token);
    expect(await inDefault()).toBe(1);
    await keep();
    expect(await inDefault()).toBe(0);
    clock.now = new Date(start + 800 * day);
    await events(1, ids.juniper, ids.compass, 100 * 24 * 60);
    await keep();
    expect(await inDefault()).toBe(0);
    clock.now = new Date(start);
  });
});

test('the graph has the feeds of accounts and repositories', async () => {
  await sql`delete from event`.execute(database.sql);
  await events(2, ids.wren, ids.compass);
  await events(1, ids.wren, ids.ledger);
  await star('removeStar', 'harbor-lab/tides', wren.classic_token);
  await star('addStar', 'harbor-lab/tides', wren.classic_token);
  const named = 'repository: { named: { owner: "harbor-lab", name: "tides" } }';
  const userId = await globalIdOf(gateway, 'tomas');
  await mutate(
    `setCollaborator(input: { ${named}, userId: "${userId}", permission: READ }) { permission }`,
    wren.classic_token,
  );
  const feed = (more: string) =>
    `events(first: 2${more}) { nodes { type repository { name } payload { __typename } } totalCount pageInfo { hasNextPage endCursor } }`;
  const { data, errors } = await graphql(
    gateway,
    `{ viewer { ${feed('')} receivedEvents(first: 5) { nodes { type } } }
      repository(owner: "harbor-lab", name: "tides") { ${feed(', types: [MEMBER]')} }
      organization(login: "harbor-lab") { ${feed(', types: [WATCH]')} }
      publicEvents(types: [PUSH]) { nodes { type } } }`,
    wren.classic_token,
  );
  expect(errors).toBeUndefined();
  expect(data.viewer.events).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true } });
  expect(data.viewer.receivedEvents.nodes).toEqual([]);
  expect(data.repository.events.nodes).toEqual([
    { type: 'MEMBER', repository: { name: 'harbor-lab/tides' }, payload: { __typename: 'MemberPayload' } },
  ]);
  expect(data.organization.events.totalCount).toBe(3);
  expect(data.publicEvents.nodes).toEqual([]);
  const rest = `events(first: 5, after: "${data.viewer.events.pageInfo.endCursor}") { nodes { type } pageInfo { hasNextPage hasPreviousPage } }`;
  const next = await graphql(gateway, `{ viewer { ${rest} } }`, wren.classic_token);
  expect(next.data.viewer.events.nodes).toHaveLength(3);
  expect(next.data.viewer.events.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
});

test('pages of the graph have a digest, and are not read again for who has it', async () => {
  await sql`delete from event`.execute(database.sql);
  await events(3, ids.juniper, ids.compass);
  await events(2, ids.wren, ids.ledger, 3);
  const page = 'digest newestAt totalCount nodes { createdAt }';
  const asked = async (name: string, args = '') =>
    (await graphql(gateway, `{ user(login: "${name}") { receivedEvents(first: 2${args}) { ${page} } } }`)).data.user
      .receivedEvents;
  const [linh, tomas] = [await asked('linh'), await asked('tomas')];
  expect(linh).toMatchObject({ totalCount: 3, newestAt: linh.nodes[0].createdAt });
  expect(tomas).toMatchObject({ totalCount: 0, newestAt: null, nodes: [] });
  expect(new Set([linh, tomas, await asked('linh', ', after: ""')].map(({ digest }) => digest)).size).toBe(2);
  const etag = (await get('/users/linh/received_events/public?per_page=2')).headers.get('etag');
  expect(etag).toBe(`"${linh.digest}"`);
  expect(await asked('linh', `, knownDigest: "${linh.digest}"`)).toEqual({ ...linh, totalCount: 0, nodes: [] });
  expect(await asked('linh', `, knownDigest: "${tomas.digest}"`)).toEqual(linh);

  // The heads of the feeds of a list are one statement, and those of each alone.
  const users = await Promise.all(['linh', 'tomas', 'juniper'].map(name => globalIdOf(gateway, name)));
  const of = (lists: string) => `{ nodes(ids: ${JSON.stringify(users)}) { ... on User { ${lists} } } }`;
  const sent = await gateway.sent(async () => {
    const { data } = await graphql(gateway, of(`receivedEvents(first: 2) { ${page} } events(first: 2) { digest }`));
    expect(data.nodes.slice(0, 2)).toMatchObject([{ receivedEvents: linh }, { receivedEvents: tomas }]);
    const alone = await graphql(gateway, '{ user(login: "juniper") { events(first: 2) { digest } } }');
    expect(data.nodes[2].events).toEqual(alone.data.user.events);
  });
  expect(sent.filter(({ text }) => text.includes('string_agg'))).toHaveLength(3);
});

test('feeds of accounts that follow and watch many are complete', async () => {
  await sql`delete from event`.execute(database.sql);
  // One followed event per hundred others, so the newest events alone do not fill a page.
  await sql`insert into event (created_at, type, actor_id, repository_id, owner_id, network_id, payload)
    select ${clock.now.toISOString()}::timestamptz - (40000 - n) * interval '1 second', 'WatchEvent',
      case when n % 100 = 0 then ${ids.juniper}::bigint else ${ids.okello}::bigint end, r.id, r.owner_id, r.id, '{}'
    from generate_series(1, 40000) n, repository r where r.name = 'dotfiles' order by n`.execute(database.sql);
  const pages = await Promise.all(
    [1, 2, 3].map(async page => (await get(`/users/linh/received_events?per_page=100&page=${page}`)).json),
  );
  const all = pages.flat() as { id: string; actor: { login: string } }[];
  expect(new Set(all.map(({ id }) => id)).size).toBe(300);
  expect(all.every(({ actor }) => actor.login === 'juniper')).toBe(true);
  expect(all.map(({ id }) => Number(id))).toEqual(all.map(({ id }) => Number(id)).sort((a, b) => b - a));
});

test('a page of the public feed is one index scan', async () => {
  await sql`analyze event`.execute(database.sql);
  const [sent] = (await gateway.sent(() => get('/events', undefined, { 'if-none-match': '"x"' }))).filter(({ text }) =>
    text.includes('string_agg'),
  );
  expect(sent?.text).toContain('order by e.id desc');
  const plan = await explained(sent ?? { text: '', values: [] });
  expect(plan).toMatch(/Index Scan Backward using event_\w+_pkey/);
  expect(plan).not.toContain('Seq Scan on event');
  // Reads only the page: no plan node has a hundred rows.
  expect(plan).not.toMatch(/rows=\d{3}/);
});

async function explained({ text, values = [] }: { text: string; values?: readonly unknown[] }): Promise<string> {
  const client = new pg.Client(gateway.databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query(`explain (analyze, costs off) ${text}`, [...values]);
    return rows.map(row => row['QUERY PLAN']).join('\n');
  } finally {
    await client.end();
  }
}
