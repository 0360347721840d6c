import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { insertCredential } from '../../../src/hosting/credentials/insert-credential.ts';
import { type Answer, testGateway } from '../../harness/gateway.ts';
import { createRef, deleteRef, repositoryNamed } from '../../harness/git-mutations.ts';
import { acceptInvitations, appJwt, call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { until } from '../../jobs/job-harness.ts';
import { openReceiver, payloadOf, type Received } from '../webhooks/receiver.ts';

const gateway = await testGateway({
  data: 'demo',
  workers: true,
  settings: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', DATABASE_POOL: '10', RATE_LIMIT_FACTOR: '1000' },
});
const demo = await demoOf(gateway);
const receiver = await openReceiver();
afterAll(() => receiver.close());
const wren = demo.users.wren.classic_token;
const as =
  (token: string) =>
  (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(gateway, method, path, `Bearer ${token}`, body);
const asWren = as(wren);
const asJuniper = as(demo.users.juniper.classic_token);
const hosting = (query: string, variables: Record<string, unknown> = {}) => graphql(gateway, query, wren, variables);

let made = 0;
/** A new public or private repository of wren: `wren/hooked-1`. */
async function repository(visibility = 'PUBLIC', owner?: string): Promise<string> {
  const name = `hooked-${++made}`;
  const answer = await hosting(
    `mutation($name: String!, $visibility: RepositoryVisibility!, $ownerId: ID) {
      createRepository(input: { name: $name, visibility: $visibility, ownerId: $ownerId }) { repository { id } } }`,
    { name, visibility, ownerId: owner && (await globalIdOf(gateway, owner)) },
  );
  expect(answer.errors).toBeUndefined();
  return `${owner ?? 'wren'}/${name}`;
}

const write = (name: string): Promise<Answer> =>
  asWren('PUT', `/repos/${name}/contents/notes/${++made}.txt`, { message: `Note ${made}`, content: 'bm90ZQ==' });

/** Creates a hook with a path of its own at the receiver. */
async function hook(source: string, settings: { events?: string[]; config?: object } = {}) {
  const path = `/${++made}`;
  const config = { url: `${receiver.url}${path}`, content_type: 'json', secret: 'secret', ...settings.config };
  const answer = await asWren('POST', `${source}/hooks`, { name: 'web', ...settings, config });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  const received = (event: string, action?: string): Received[] =>
    receiver.of(event, action).filter(one => one.path === path);
  const arrived = (event: string, action?: string): Promise<Received> =>
    until(`${event} ${action ?? ''}`, () => received(event, action)[0]);
  return { json: answer.json, path: `${source}/hooks/${answer.json.id}`, received, arrived };
}

const settled = (): Promise<unknown> =>
  until('every delivery is made', async () => {
    const { rows } = await sql`select 1 from webhook_delivery where delivered_at is null limit 1`.execute(
      gateway.database.sql,
    );
    return rows.length === 0;
  });

describe('a hook of a repository', () => {
  test('stays with the repository, and is told of its transfer', async () => {
    const name = await repository();
    const one = await hook(`/repos/${name}`, { events: ['repository'] });
    expect((await asWren('POST', `/repos/${name}/transfer`, { new_owner: 'harbor-lab' })).status).toBe(202);
    expect(payloadOf(await one.arrived('repository', 'transferred'))).toMatchObject({
      changes: { owner: { from: { user: { login: 'wren' } } } },
      repository: { owner: { login: 'harbor-lab' } },
      organization: { login: 'harbor-lab' },
      sender: { login: 'wren' },
    });
    const moved = `/repos/harbor-lab/${name.split('/')[1]}`;
    expect((await asWren('POST', `${moved}/transfer`, { new_owner: 'wren' })).status).toBe(202);
    const back = await until('the second transfer', () => one.received('repository', 'transferred')[1]);
    expect(payloadOf(back)).toMatchObject({ changes: { owner: { from: { organization: { login: 'harbor-lab' } } } } });
    expect(payloadOf(back)).not.toHaveProperty('formerOrganization');
  });

  test('gets a signed ping when it is created, and then what it subscribes to', async () => {
    const name = await repository();
    const one = await hook(`/repos/${name}`, { events: ['push', 'star'] });
    const ping = await one.arrived('ping');
    const api = `${gateway.url}${one.path}`;
    expect(one.json).toEqual({
      type: 'Repository',
      id: expect.any(Number),
      name: 'web',
      active: true,
      events: ['push', 'star'],
      config: { content_type: 'json', insecure_ssl: '0', secret: '********', url: expect.any(String) },
      updated_at: expect.any(String),
      created_at: expect.any(String),
      url: api,
      test_url: `${api}/tests`,
      ping_url: `${api}/pings`,
      deliveries_url: `${api}/deliveries`,
      last_response: { code: null, status: 'unused', message: null },
    });
    const signature = createHmac('sha256', 'secret').update(ping.body).digest('hex');
    expect(ping.headers).toMatchObject({
      'x-host-hook-id': String(one.json.id),
      'x-host-hook-installation-target-type': 'repository',
      'x-hub-signature-256': `sha256=${signature}`,
    });
    const { json: found } = await asWren('GET', `/repos/${name}`);
    expect(ping.headers['x-host-hook-installation-target-id']).toBe(String(found.id));
    expect(payloadOf(ping)).toMatchObject({
      zen: expect.any(String),
      hook_id: one.json.id,
      // URLs of payloads are those of the base path that clients of GitHub use.
      hook: {
        ...JSON.parse(JSON.stringify(one.json).replaceAll('/repos/', '/api/v3/repos/')),
        updated_at: expect.any(String),
        created_at: expect.any(String),
      },
      repository: { full_name: name },
      sender: { login: 'wren' },
    });
    const { json: file } = await write(name);
    expect(payloadOf(await one.arrived('push'))).toMatchObject({
      after: file.commit.sha,
      repository: { full_name: name },
      pusher: { name: 'wren' },
    });
    await settled();
    // The first push also creates a branch, which it does not subscribe to.
    expect(one.received('create')).toEqual([]);
  });

  test('`*` gets every event: refs, collaborators, stars, forks, visibility and changes of the repository', async () => {
    const name = await repository('PRIVATE');
    const one = await hook(`/repos/${name}`, { events: ['push', '*'] });
    expect(one.json.events).toEqual(['*']);
    const { json: file } = await write(name);
    const [owner = '', short = ''] = name.split('/');
    const repositoryId = (
      await hosting('query($o: String!, $n: String!) { repository(owner: $o, name: $n) { id } }', {
        o: owner,
        n: short,
      })
    ).data.repository.id;
    const run = async (mutation: string, variables: object = {}) => {
      const given = mutation.includes('$id') ? { id: repositoryId, ...variables } : variables;
      const answer = await hosting(mutation, given as Record<string, unknown>);
      expect(answer.errors).toBeUndefined();
    };
    await run(
      `mutation($id: ID!, $user: ID!) { setCollaborator(input: { repository: { id: $id }, userId: $user, permission: READ }) {
      clientMutationId } }`,
      { user: await globalIdOf(gateway, 'tomas') },
    );
    await acceptInvitations(gateway, demo.users.tomas.classic_token);
    await run('mutation($id: ID!) { addStar(input: { starrableId: $id }) { clientMutationId } }');
    await run(
      'mutation($id: ID!) { updateRepository(input: { repositoryId: $id, description: "New" }) { clientMutationId } }',
    );
    await run(
      'mutation($id: ID!) { updateRepository(input: { repositoryId: $id, visibility: PUBLIC }) { clientMutationId } }',
    );
    expect(payloadOf(await one.arrived('create'))).toMatchObject({ ref: 'main', ref_type: 'branch' });
    expect(payloadOf(await one.arrived('push'))).toMatchObject({
      repository: { full_name: name },
      after: file.commit.sha,
    });
    expect(payloadOf(await one.arrived('member', 'added'))).toMatchObject({ member: { login: 'tomas' } });
    await one.arrived('star', 'created');
    await one.arrived('watch', 'started');
    await one.arrived('repository', 'edited');
    await one.arrived('public');
    const named = await repositoryNamed(gateway, name);
    await run(`mutation { ${createRef(named, 'refs/heads/topic', file.commit.sha)} }`);
    await run(`mutation { ${deleteRef(named, 'refs/heads/topic')} }`);
    expect(payloadOf(await one.arrived('delete'))).toMatchObject({ ref: 'topic', ref_type: 'branch' });
    await run(
      `mutation($id: ID!, $name: String!, $ownerId: ID!) { forkRepository(input: { repository: { id: $id }, name: $name, ownerId: $ownerId }) {
      clientMutationId } }`,
      { name: `fork-${++made}`, ownerId: await globalIdOf(gateway, 'harbor-lab') },
    );
    expect(payloadOf(await one.arrived('fork'))).toMatchObject({ forkee: { name: `fork-${made}` } });
  });

  test('is not told of another repository, nor while it is not active', async () => {
    const [name, other] = [await repository(), await repository()];
    const one = await hook(`/repos/${name}`);
    await one.arrived('ping');
    await write(other);
    expect((await asWren('PATCH', one.path, { active: false })).json.active).toBe(false);
    await write(name);
    await settled();
    expect(one.received('push')).toEqual([]);
    // A ping is asked for.
    expect((await asWren('POST', `${one.path}/pings`)).status).toBe(204);
    await until('the second ping', () => one.received('ping')[1]);
    await asWren('PATCH', one.path, { active: true });
    await write(name);
    await one.arrived('push');
  });

  test('a test sends the newest commit as a push to subscribers only', async () => {
    const name = await repository();
    const { json: file } = await write(name);
    const one = await hook(`/repos/${name}`);
    expect((await asWren('POST', `${one.path}/tests`)).status).toBe(204);
    expect(payloadOf(await one.arrived('push'))).toMatchObject({ after: file.commit.sha, ref: 'refs/heads/main' });
    const other = await hook(`/repos/${name}`, { events: ['star'] });
    expect((await asWren('POST', `${other.path}/tests`)).status).toBe(204);
    await settled();
    expect(other.received('push')).toEqual([]);
    expect((await asWren('POST', `/repos/${name}/hooks/999999/tests`)).status).toBe(404);
  });

  test('deliveries are listed, read and sent again; the newest is the last response', async () => {
    const name = await repository();
    const one = await hook(`/repos/${name}`);
    await one.arrived('ping');
    await settled();
    const list = await asWren('GET', `${one.path}/deliveries?per_page=1`);
    expect(list.json).toMatchObject([{ event: 'ping', status: 'OK', status_code: 200, redelivery: false }]);
    const { json: detail } = await asWren('GET', `${one.path}/deliveries/${list.json[0].id}`);
    expect(detail).toMatchObject({ request: { payload: { hook_id: one.json.id } }, response: { payload: 'ok' } });
    expect((await asWren('POST', `${one.path}/deliveries/${detail.id}/attempts`)).status).toBe(202);
    await until('the ping is sent again', () => one.received('ping')[1]);
    await settled();
    const again = await asWren('GET', `${one.path}/deliveries?per_page=1`);
    expect(again.json).toMatchObject([{ guid: detail.guid, redelivery: true }]);
    expect(again.headers.get('link')).toContain('cursor=');
    expect((await asWren('GET', one.path)).json.last_response).toEqual({ code: 200, status: 'active', message: 'OK' });
    // Not by the path of another hook.
    const other = await hook(`/repos/${name}`, { events: ['star'] });
    expect((await asWren('GET', `${other.path}/deliveries/${detail.id}`)).status).toBe(404);
    expect((await asWren('POST', `${other.path}/deliveries/${detail.id}/attempts`)).status).toBe(404);
    expect((await asWren('DELETE', one.path)).status).toBe(204);
    expect((await asWren('GET', `${one.path}/deliveries`)).status).toBe(404);
  });
});

describe('a hook of an organization', () => {
  test('gets the events of its repositories, private ones included, and those of no other owner', async () => {
    const one = await hook('/orgs/harbor-lab', { events: ['push', 'delete'] });
    expect(await one.arrived('ping').then(payloadOf)).toMatchObject({ organization: { login: 'harbor-lab' } });
    expect(one.json).not.toHaveProperty('test_url');
    await write(await repository());
    await write('harbor-lab/ledger');
    const push = await one.arrived('push');
    expect(payloadOf(push)).toMatchObject({
      repository: { full_name: 'harbor-lab/ledger', private: true },
      organization: { login: 'harbor-lab' },
    });
    expect(push.headers['x-host-hook-installation-target-type']).toBe('organization');
    await settled();
    expect(one.received('push').map(got => payloadOf(got).repository.full_name)).toEqual(['harbor-lab/ledger']);
    expect((await asWren('DELETE', one.path)).status).toBe(204);
  });

  test('a member who is no administrator has none', async () => {
    expect((await asJuniper('GET', '/orgs/harbor-lab/hooks')).status).toBe(403);
    const one = await hook('/orgs/harbor-lab');
    const token = await credential('juniper', ['admin:org_hook']);
    expect((await token('GET', one.path)).status).toBe(404);
    expect((await token('DELETE', one.path)).status).toBe(404);
    expect((await asWren('DELETE', one.path)).status).toBe(204);
  });
});

/** A new classic token with these scopes. */
async function tokenOf(login: string, scopes: string[]): Promise<string> {
  const { rows } = await sql<{ id: number }>`select id from account where login = ${login}`.execute(
    gateway.database.sql,
  );
  const { token } = await inTransaction(gateway.database, db =>
    insertCredential(db, { kind: 'classic', accountId: rows[0]?.id ?? 0, scopes }, gateway.clock.now),
  );
  return token;
}

const credential = async (login: string, scopes: string[]) => as(await tokenOf(login, scopes));

describe('who may', () => {
  test('a scope of hooks reaches hooks of private repositories and nothing else of them', async () => {
    const name = await repository('PRIVATE');
    const one = await hook(`/repos/${name}`);
    const [reader, writer, admin] = await Promise.all(
      ['read:repo_hook', 'write:repo_hook', 'admin:repo_hook'].map(scope => credential('wren', [scope])),
    );
    expect((await reader?.('GET', one.path))?.status).toBe(200);
    expect((await reader?.('GET', `/repos/${name}`))?.status).toBe(404);
    expect((await reader?.('PATCH', one.path, { active: false }))?.status).toBe(403);
    expect((await writer?.('PATCH', one.path, { active: false }))?.status).toBe(200);
    expect((await writer?.('DELETE', one.path))?.status).toBe(403);
    expect((await admin?.('DELETE', one.path))?.status).toBe(204);
  });

  test('the graph finds a private repository by a scope of hooks where hooks alone are selected', async () => {
    const name = await repository('PRIVATE');
    const one = await hook(`/repos/${name}`);
    const [owner, short] = name.split('/');
    const read = async (below: string, token: string) => {
      const query = `query($o: String!, $n: String!) { repository(owner: $o, name: $n) { ${below} } }`;
      const { data, errors } = await graphql(gateway, query, token, { o: owner, n: short });
      return errors ? errors[0].extensions.code : data.repository;
    };
    const reader = await tokenOf('wren', ['read:repo_hook']);
    const hooks = 'hooks(first: 1) { nodes { databaseId } }';
    const found = { hooks: { nodes: [{ databaseId: one.json.id }] } };
    expect(await read(hooks, reader)).toEqual(found);
    expect(await read(`... on Repository { ${hooks} } __typename`, reader)).toEqual({
      ...found,
      __typename: 'Repository',
    });
    expect(await read(`hook(id: "${hookId(one)}") { events repository { name } }`, reader)).toEqual({
      hook: { events: ['push'], repository: null },
    });
    for (const other of [
      'name',
      'id',
      '... on Node { id }',
      'sshKeys { totalCount }',
      'object(expression: "HEAD") { oid }',
    ])
      expect(await read(`${hooks} ${other}`, reader)).toBe('NOT_FOUND');
    expect(await read('name', reader)).toBe('NOT_FOUND');
    expect(await read(hooks, await tokenOf('wren', ['admin:org_hook']))).toBe('NOT_FOUND');
    expect(await read(hooks, demo.users.juniper.classic_token)).toBe('NOT_FOUND');
    expect(await read(`${hooks} name`, demo.users.wren.classic_token)).toEqual({ ...found, name: short });
  });

  test('a token for hooks of organizations does not learn that a private repository has one', async () => {
    const { json } = await hook(`/repos/${await repository('PRIVATE')}`);
    const token = await tokenOf('juniper', ['admin:org_hook']);
    const remove = async (number: number) => {
      const id = encodeGlobalId('Hook', number);
      const mutation = 'mutation($id: ID!) { deleteHook(input: { hookId: $id }) { deletedId } }';
      return (await graphql(gateway, mutation, token, { id })).errors?.map(
        (error: { extensions: object }) => error.extensions,
      );
    };
    const absent = await remove(999_999);
    expect(absent).toEqual([expect.objectContaining({ code: 'NOT_FOUND' })]);
    expect(await remove(json.id)).toEqual(absent);
  });

  test('what a scope of hooks reads over REST, it pings and tests over both doors, and changes over none', async () => {
    const name = await repository('PRIVATE');
    const one = await hook(`/repos/${name}`);
    const reader = await tokenOf('wren', ['read:repo_hook']);
    const id = encodeGlobalId('Hook', one.json.id);
    const run = async (field: string, token = reader) => {
      const mutation = `mutation($id: ID!) { ${field}(input: { hookId: $id }) { clientMutationId } }`;
      return (await graphql(gateway, mutation, token, { id })).errors?.[0].extensions.code;
    };
    for (const field of ['pingHook', 'testHook']) {
      expect(await run(field)).toBeUndefined();
      expect(await run(field, await tokenOf('wren', ['admin:org_hook']))).toBe('NOT_FOUND');
      expect(await run(field, demo.users.juniper.classic_token)).toBe('NOT_FOUND');
    }
    expect(await run('updateHook')).toBe('FORBIDDEN');
    expect(await run('deleteHook')).toBe('FORBIDDEN');
    for (const [path, status] of [
      ['pings', 204],
      ['tests', 204],
      ['deliveries/1/attempts', 403],
    ])
      expect((await as(reader)('POST', `${one.path}/${path}`)).status).toBe(status);
  });

  test('a repository without rights of an administrator', async () => {
    expect((await asJuniper('GET', '/repos/harbor-lab/compass/hooks')).status).toBe(403);
    const hidden = await repository('PRIVATE');
    expect((await asJuniper('GET', `/repos/${hidden}/hooks`)).status).toBe(404);
    expect((await call(gateway, 'GET', '/repos/harbor-lab/compass/hooks')).status).toBe(403);
  });
});

describe('settings', () => {
  test.each([
    [{}, 'url cannot be blank'],
    [{ config: { url: 'ftp://receiver.example' } }, 'url must be an http or https address'],
    [
      { config: { url: 'http://10.0.0.1/' } },
      "url is not supported because it isn't reachable over the public Internet",
    ],
    [{ config: { url: 'https://receiver.example' }, events: ['pushes'] }, 'events has an unknown name (pushes)'],
    [{ config: { url: 'https://receiver.example' }, events: [] }, 'events must have at least one name'],
    [{ name: 'irc', config: { url: 'https://receiver.example' } }, 'name must be "web"'],
    [{ config: { url: 'https://receiver.example', secret: 'x'.repeat(256) } }, 'secret is longer than 255 characters'],
  ])('%j is refused', async (body, message) => {
    const answer = await asWren('POST', `/repos/${await repository()}/hooks`, body);
    expect([answer.status, answer.json.errors]).toEqual([
      422,
      [{ resource: 'Hook', code: 'custom', message: expect.stringContaining(message) }],
    ]);
  });

  test('what is like another hook is refused, and a 21st for the same event', async () => {
    const source = `/repos/${await repository()}/hooks`;
    const create = (n: number, events = ['push']) =>
      asWren('POST', source, { config: { url: `https://receiver.example/${n}` }, events });
    const all = await Promise.all(Array.from({ length: 22 }, (_, n) => create(n)));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = all.find(({ status }) => status !== 201);
    expect([refused?.status, refused?.json.errors[0].message]).toEqual([
      422,
      'The "push" event cannot have more than 20 hooks',
    ]);
    expect((await create(100, ['star'])).status).toBe(201);
    const alike = await create(100, ['star']);
    expect([alike.status, alike.json.errors[0].message]).toEqual([422, 'Hook already exists on this repository']);
    expect((await create(101, ['*'])).status).toBe(422);
  });

  test('a configuration replaces the former one; its own path changes what is named', async () => {
    const one = await hook(`/repos/${await repository()}`);
    const { url } = one.json.config;
    const changed = await asWren('PATCH', `${one.path}/config`, { content_type: 'form' });
    expect(changed.json).toEqual({ content_type: 'form', insecure_ssl: '0', secret: '********', url });
    const kept = await asWren('PATCH', one.path, { config: { url, content_type: 'json', secret: '********' } });
    expect(kept.json.config).toEqual({ content_type: 'json', insecure_ssl: '0', secret: '********', url });
    const replaced = await asWren('PATCH', one.path, { config: { url, insecure_ssl: '1' } });
    expect(replaced.json.config).toEqual({ content_type: 'form', insecure_ssl: '1', url });
    const events = await asWren('PATCH', one.path, { add_events: ['star'], remove_events: ['push'] });
    expect(events.json.events).toEqual(['star']);
    const stored = await sql`select 1 from hook where secret_sealed like '%secret%'`.execute(gateway.database.sql);
    expect(stored.rows).toEqual([]);
  });
});

test('the graph has the same hooks', async () => {
  const name = await repository();
  const [owner, short] = name.split('/');
  const find = `query($o: String!, $n: String!) { repository(owner: $o, name: $n) { id hooks(first: 5) { totalCount nodes {
    id databaseId url isActive hasSecret isTlsVerified events repository { nameWithOwner } organization { login }
    lastResponse { status } deliveries(first: 1) { nodes { event } } } } } }`;
  const { id } = (await hosting(find, { o: owner, n: short })).data.repository;
  const created = await hosting(
    `mutation($id: ID!, $url: String!) { createHook(input: { sourceId: $id, url: $url, events: ["star"], secret: "s" }) {
      hook { id url } } }`,
    { id, url: `${receiver.url}/graph` },
  );
  const hookId = created.data.createHook.hook.id;
  await settled();
  const { data } = await hosting(find, { o: owner, n: short });
  expect(data.repository.hooks).toMatchObject({
    totalCount: 1,
    nodes: [
      {
        id: hookId,
        hasSecret: true,
        isTlsVerified: true,
        repository: { nameWithOwner: name },
        organization: null,
        lastResponse: { status: 'active' },
        deliveries: { nodes: [{ event: 'ping' }] },
      },
    ],
  });
  const one = `query($o: String!, $n: String!, $id: ID!) { repository(owner: $o, name: $n) { hook(id: $id) { events
    config { url contentType insecureSsl secretMask } } } organization(login: "harbor-lab") { hook(id: $id) { events } } }`;
  expect((await hosting(one, { o: owner, n: short, id: hookId })).data).toEqual({
    repository: {
      hook: {
        events: ['star'],
        config: { url: `${receiver.url}/graph`, contentType: 'FORM', insecureSsl: '0', secretMask: '********' },
      },
    },
    organization: { hook: null },
  });
  const node = 'query($id: ID!) { node(id: $id) { ... on Hook { events } } }';
  expect((await hosting(node, { id: hookId })).data.node).toEqual({ events: ['star'] });
  const byLinh = await graphql(gateway, node, demo.users.linh.classic_token, { id: hookId });
  expect(byLinh.data.node).toBeNull();
  const mutate = (field: string, more = '') =>
    hosting(`mutation($id: ID!) { ${field}(input: { hookId: $id ${more} }) { clientMutationId } }`, { id: hookId });
  expect((await mutate('updateHook', 'isActive: false')).errors).toBeUndefined();
  expect((await mutate('pingHook')).errors).toBeUndefined();
  expect((await mutate('deleteHook')).errors).toBeUndefined();
  expect((await hosting(node, { id: hookId })).data.node).toBeNull();
});

test('a mutation that names the source of a hook finds no hook of another source', async () => {
  const [one, other] = [await hook(`/repos/${await repository()}`), await hook(`/repos/${await repository()}`)];
  await settled();
  const deliveryId = await newestDelivery(one.json.id);
  const sourceId = await globalIdOf(gateway, 'harbor-lab');
  const { json } = await asWren('GET', other.path.replace(/\/hooks.*/, ''));
  for (const source of [sourceId, encodeGlobalId('Repository', json.id)]) {
    for (const field of ['updateHook', 'deleteHook', 'pingHook', 'testHook', 'redeliverHookDelivery']) {
      const input = { sourceId: source, ...(field.startsWith('re') ? { deliveryId } : { hookId: hookId(one) }) };
      const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input!`;
      const run = `mutation($input: ${type}) { ${field}(input: $input) { clientMutationId } }`;
      expect((await hosting(run, { input })).errors?.[0].extensions.code).toBe('NOT_FOUND');
    }
  }
  const redeliver = `mutation($hookId: ID!, $deliveryId: ID!) {
    redeliverHookDelivery(input: { hookId: $hookId, deliveryId: $deliveryId }) { delivery { event } } }`;
  expect((await hosting(redeliver, { hookId: hookId(other), deliveryId })).errors?.[0].extensions.code).toBe(
    'NOT_FOUND',
  );
  expect((await hosting(redeliver, { hookId: hookId(one), deliveryId })).data.redeliverHookDelivery).toEqual({
    delivery: { event: 'ping' },
  });
});

test('an organization with the number of a repository does not test its hooks', async () => {
  const { rows } = await sql<{ hook: number; id: number }>`
    with lab as (select id from account where login = 'harbor-lab'),
      same as (insert into repository (id, owner_id, name, created_at, updated_at)
        select lab.id, a.id, 'same-number', now(), now() from lab, account a where a.login = 'tomas' on conflict (id) do nothing)
    insert into hook (repository_id, url, events, created_at, updated_at)
      select lab.id, 'https://receiver.example/same', array['push'], now(), now() from lab
    returning id as hook, repository_id as id`.execute(gateway.database.sql);
  const test = 'mutation($id: ID!, $of: ID!) { testHook(input: { hookId: $id, sourceId: $of }) { clientMutationId } }';
  const { errors } = await hosting(test, {
    id: encodeGlobalId('Hook', rows[0]?.hook ?? 0),
    of: encodeGlobalId('Organization', rows[0]?.id ?? 0),
  });
  expect(errors?.[0].extensions.code).toBe('NOT_FOUND');
});

test('pages of deliveries have cursors of both directions', async () => {
  const one = await hook(`/repos/${await repository()}`);
  await one.arrived('ping');
  for (const count of [2, 3]) {
    await asWren('POST', `${one.path}/pings`);
    await until(`ping ${count}`, () => one.received('ping')[count - 1]);
  }
  await settled();
  const page = `query($id: ID!, $after: String) { node(id: $id) { ... on Hook {
    deliveries(first: 1, after: $after) { nextCursor previousCursor nodes { databaseId } } } } }`;
  const read = async (after?: string) =>
    (await hosting(page, { id: hookId(one), after })).data.node.deliveries as {
      nextCursor: string;
      previousCursor: string;
      nodes: { databaseId: number }[];
    };
  const first = await read();
  const second = await read(first.nextCursor);
  const third = await read(second.nextCursor);
  expect([first.previousCursor, third.nextCursor]).toEqual([null, null]);
  expect(new Set([first, second, third].map(({ nodes }) => nodes[0]?.databaseId)).size).toBe(3);
  expect(await read(third.previousCursor)).toEqual(second);
  expect((await read(second.previousCursor)).nodes).toEqual(first.nodes);
});

const hookId = ({ json }: { json: { id: number } }): string => encodeGlobalId('Hook', json.id);

async function newestDelivery(hook: number): Promise<string> {
  const { rows } = await sql<{
    id: number;
  }>`select max(id) as id from webhook_delivery where hook_id = ${hook}`.execute(gateway.database.sql);
  return encodeGlobalId('WebhookDelivery', rows[0]?.id ?? 0);
}

test('the sender of what an app does is its bot', async () => {
  const one = await hook('/repos/harbor-lab/compass', { events: ['push'] });
  const tokens = `/app/installations/${demo.app.installation_id}/access_tokens`;
  const { json } = await call(gateway, 'POST', tokens, `Bearer ${await appJwt(gateway, demo)}`, {});
  const asBot = as(json.token);
  const written = await asBot('PUT', `/repos/harbor-lab/compass/contents/notes/${++made}.txt`, {
    message: 'Note',
    content: 'bm90ZQ==',
  });
  expect(written.status).toBe(201);
  const { sender, pusher } = payloadOf(await one.arrived('push'));
  expect([sender.login, sender.type, pusher.name]).toEqual(['harbor-pilot[bot]', 'Bot', 'harbor-pilot[bot]']);
  expect((await asWren('DELETE', one.path)).status).toBe(204);
});
