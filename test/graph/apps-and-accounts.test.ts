import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId, encodeNamedId } from '../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const { wren, juniper, linh, tomas } = demo.users;
const db = gateway.database.sql;
const ask = (query: string, token?: string, variables?: Record<string, unknown>) =>
  graphql(gateway, query, token, variables);
const codeOf = (answer: { errors?: { extensions: { code: string } }[] }) => answer.errors?.[0]?.extensions.code;
const statementsOf = async (query: string, token: string): Promise<number> =>
  (await gateway.statements(() => ask(query, token))).length;

const numberOf = async (login: string): Promise<number> =>
  (await sql<{ id: number }>`select id from account where login = ${login}`.execute(db)).rows[0]?.id ?? 0;
const lab = await numberOf('harbor-lab');
const demoApp = encodeGlobalId('App', Number(demo.app.id));
const installation = encodeGlobalId('Installation', Number(demo.app.installation_id));

/** Adds apps of harbor-lab, each with two deliveries: one that failed on 30 September, one that succeeded on 1 October. */
async function addApps(count: number): Promise<void> {
  await sql`
    with made as (
      insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, permissions, events, created_at, updated_at)
      select ${lab}, 'many-' || n, 'Many ' || n, 'many-' || n, '\\x00', 'https://x.example', '{}', '{}', now(), now()
      from generate_series(1, ${count}::int) n returning id)
    insert into webhook_delivery (app_id, guid, event, created_at, delivered_at, status, status_code)
    select made.id, gen_random_uuid(), 'push', at, at, 'sent', code
    from made, (values (timestamptz '2026-09-30 08:00Z', 500), (timestamptz '2026-10-01 08:00Z', 200)) as d (at, code)
    order by at`.execute(db);
}

const failing = `{ organization(login: "harbor-lab") { apps(first: 50) { totalCount nodes { slug webhook { deliveries(outcome: FAILURE) {
  totalCount nodes { event statusCode repository { name } installation { databaseId } } pageInfo { hasNextPage } } } } } } }`;

test('an organization that is read as a user has an empty e-mail address for none', async () => {
  await sql`update account set public_email = null where id = ${lab}`.execute(db);
  const { data, errors } = await ask('{ accountAsUser(login: "harbor-lab") { kind email } }');
  expect([data, errors]).toEqual([{ accountAsUser: { kind: 'ORGANIZATION', email: '' } }, undefined]);
});

describe('the deliveries of the apps of an organization', () => {
  test('are read by as many statements for many apps as for one', async () => {
    // The first request reads the credential.
    await ask(failing, wren.classic_token);
    const one = await statementsOf(failing, wren.classic_token);
    await addApps(20);
    expect(await statementsOf(failing, wren.classic_token)).toBe(one);
    const { nodes, totalCount } = (await ask(failing, wren.classic_token)).data.organization.apps;
    expect(totalCount).toBe(21);
    const many = nodes.filter(({ slug }: { slug: string }) => slug.startsWith('many-'));
    for (const { webhook } of many) {
      expect(webhook.deliveries).toMatchObject({
        totalCount: 1,
        nodes: [{ event: 'push', statusCode: 500, repository: null, installation: null }],
        pageInfo: { hasNextPage: false },
      });
    }
  });

  test('since a time', async () => {
    const query = `query($since: DateTime) { organization(login: "harbor-lab") { apps { nodes { slug webhook {
      deliveries(since: $since) { nodes { statusCode } } } } } } }`;
    const { data } = await ask(query, wren.classic_token, { since: '2026-10-01T00:00:00Z' });
    const many = data.organization.apps.nodes.find(({ slug }: { slug: string }) => slug === 'many-1');
    expect(many.webhook.deliveries.nodes).toEqual([{ statusCode: 200 }]);
  });

  test('have cursors that stay where they are when newer deliveries come', async () => {
    const app = 'id: "ID") { ... on App { webhook { deliveries';
    const { rows } = await sql<{ id: number }>`select id from app where slug = 'many-2'`.execute(db);
    const id = encodeGlobalId('App', rows[0]?.id ?? 0);
    const page = async (args: string) => {
      const fields =
        'nodes { statusCode } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }';
      const query = `{ node(${app.replace('ID', id)}(${args}) { ${fields} } } } } }`;
      const answer = await ask(query, wren.classic_token);
      return answer.errors ? codeOf(answer) : answer.data.node.webhook.deliveries;
    };
    const first = await page('first: 1');
    expect(first).toMatchObject({
      nodes: [{ statusCode: 200 }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    await sql`insert into webhook_delivery (app_id, guid, event, created_at, delivered_at, status, status_code)
      values (${rows[0]?.id}, gen_random_uuid(), 'star', now(), now(), 'sent', 201)`.execute(db);
    const { endCursor } = first.pageInfo;
    expect(await page(`first: 1, after: "${endCursor}"`)).toMatchObject({
      nodes: [{ statusCode: 500 }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect(await page(`last: 5, before: "${endCursor}"`)).toMatchObject({
      nodes: [{ statusCode: 201 }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    expect((await page('last: 2')).nodes).toEqual([{ statusCode: 200 }, { statusCode: 500 }]);
    for (const bad of [
      'first: 0',
      'first: 101',
      'first: 1, last: 1',
      'after: "x"',
      `after: "${first.edges[0].cursor}x"`,
    ])
      expect([bad, await page(bad)]).toEqual([bad, 'BAD_USER_INPUT']);
  });
});

describe('a list of people', () => {
  const people = `{ organization(login: "harbor-lab") { membersWithRole(first: FIRST) { totalCount edges { role node { login
    followers { totalCount nodes { login } } following { totalCount } organizations { totalCount nodes { login } }
    signingKeys { totalCount nodes { title } } } } } } }`;

  test('is read by as many statements for many people as for one', async () => {
    const one = await statementsOf(people.replace('FIRST', '1'), wren.classic_token);
    expect(await statementsOf(people.replace('FIRST', '50'), wren.classic_token)).toBe(one);
  });

  test('has the members whom the caller may see', async () => {
    const seen = async (token?: string): Promise<string[]> => {
      const { data } = await ask(people.replace('FIRST', '50'), token);
      return data.organization.membersWithRole.edges.map(({ node }: { node: { login: string } }) => node.login);
    };
    await sql`update membership set is_public = (account_id = ${await numberOf('juniper')} and organization_id = ${lab})`.execute(
      db,
    );
    expect(await seen(wren.classic_token)).toEqual(expect.arrayContaining(['juniper', 'wren']));
    expect(await seen(linh.classic_token)).toEqual(['juniper']);
    expect(await seen()).toEqual(['juniper']);
    const narrow = await inTransaction(gateway.database, async transaction =>
      insertCredential(
        transaction,
        { kind: 'classic', accountId: await numberOf('wren'), scopes: [] },
        gateway.clock.now,
      ),
    );
    expect(await seen(narrow.token)).toEqual(['juniper']);
    const of = async (login: string, token?: string) =>
      (await ask(`{ user(login: "${login}") { organizations { nodes { login } } } }`, token)).data.user.organizations
        .nodes;
    expect(await of('wren', wren.classic_token)).toContainEqual({ login: 'harbor-lab' });
    expect(await of('wren', narrow.token)).toEqual([]);
    expect(await of('wren')).toEqual([]);
    expect(await of('juniper')).toEqual([{ login: 'harbor-lab' }]);
  });

  test('of an organization with single sign-on is withheld from a token that is not authorized', async () => {
    const query = '{ organization(login: "northgate") { membersWithRole { nodes { login } } } }';
    const { token } = await inTransaction(gateway.database, async transaction =>
      insertCredential(
        transaction,
        { kind: 'classic', accountId: await numberOf('wren'), scopes: ['admin:org'] },
        gateway.clock.now,
      ),
    );
    expect((await ask(query, token)).data.organization.membersWithRole.nodes).toEqual([]);
  });

  test('has the followers and the followed', async () => {
    const userId = await globalIdOf(gateway, 'tomas');
    const follow = `mutation { followUser(input: { userId: "${userId}" }) { user { login followers { totalCount } } } }`;
    for (const token of [linh.classic_token, juniper.classic_token])
      expect(codeOf(await ask(follow, token))).toBeUndefined();
    const { data } = await ask('{ user(login: "tomas") { followers { nodes { login } edges { node { login } } } } }');
    expect(data.user.followers.nodes).toEqual(expect.arrayContaining([{ login: 'linh' }, { login: 'juniper' }]));
    expect(
      (await ask('{ user(login: "linh") { following { nodes { login } } } }')).data.user.following.nodes,
    ).toContainEqual({
      login: 'tomas',
    });
  });
});

describe('the global id of an input that is made of names', () => {
  const follow = (userId: string) =>
    ask(`mutation { followUser(input: { userId: "${userId}" }) { user { login } } }`, juniper.classic_token);

  test('finds the account, whatever its case', async () => {
    expect((await follow(encodeNamedId('User', ['TOMAS']))).data.followUser.user).toEqual({ login: 'tomas' });
  });

  test.each([
    ['an unknown login', encodeNamedId('User', ['nobody-there']), 'NOT_FOUND'],
    ['an organization in the place of a user', encodeNamedId('User', ['harbor-lab']), 'NOT_FOUND'],
    ['another type', encodeNamedId('Organization', ['harbor-lab']), 'BAD_USER_INPUT'],
    ['names that are not encoded', encodeGlobalId('User', '@%'), 'BAD_USER_INPUT'],
  ])('%s is refused', async (_, id, code) => {
    expect(codeOf(await follow(id))).toBe(code);
  });

  test('is no id of node', async () => {
    const id = encodeNamedId('Repository', ['harbor-lab', 'compass']);
    expect(codeOf(await ask(`{ node(id: "${id}") { id } }`, juniper.classic_token))).toBe('BAD_USER_INPUT');
  });
});

test('a member publishes and hides the membership, and nobody else', async () => {
  const organizationId = await globalIdOf(gateway, 'harbor-lab');
  const change = (verb: string, token: string, userId: string) =>
    ask(
      `mutation { ${verb}OrganizationMembership(input: { organizationId: "${organizationId}", userId: "${userId}" }) { organization { login } } }`,
      token,
    );
  const isPublic = async () =>
    (
      await ask(
        '{ organization(login: "harbor-lab") { membersWithRole(publicOnly: true, first: 100) { nodes { login } } } }',
      )
    ).data.organization.membersWithRole.nodes.some(({ login }: { login: string }) => login === 'wren');
  const userId = await globalIdOf(gateway, 'wren');
  const before = await isPublic();
  for (const verb of ['publish', 'conceal', before ? 'publish' : 'conceal']) {
    expect((await change(verb, wren.classic_token, userId)).data).toEqual({
      [`${verb}OrganizationMembership`]: { organization: { login: 'harbor-lab' } },
    });
    expect(await isPublic()).toBe(verb === 'publish');
  }
  expect(codeOf(await change('publish', juniper.classic_token, userId))).toBe('FORBIDDEN');
});

describe('what is private to its owner', () => {
  const owned = '{ user(login: "wren") { login FIELD } }';

  test.each([
    ['tokens { nodes { id } }', 'FORBIDDEN'],
    ['emails { nodes { email } }', undefined],
    ['invitations { nodes { role } }', undefined],
    ['memberships { nodes { role } }', undefined],
    [`membership(organizationId: "${encodeNamedId('Organization', ['harbor-lab'])}") { role }`, undefined],
  ])('%s is null for others', async (field, code) => {
    for (const token of [juniper.classic_token, demo.tokens.installation, undefined]) {
      const answer = await ask(owned.replace('FIELD', field), token);
      expect(Object.values(answer.data.user)).toContain(null);
    }
    expect(codeOf(await ask(owned.replace('FIELD', field), wren.fine_grained_token))).toBe(code);
    const mine = await ask(owned.replace('FIELD', field), wren.classic_token);
    expect(Object.values(mine.data.user)).not.toContain(null);
  });

  test('is not reached through repositories, members or nodes either', async () => {
    const below = 'tokens { nodes { id } } emails { nodes { email } }';
    const query = `{ repository(owner: "wren", name: "dotfiles") { owner { ... on User { ${below} } } }
      organization(login: "harbor-lab") { membersWithRole { nodes { login ${below} } } } }`;
    const { data } = await ask(query, juniper.classic_token);
    expect(data.repository.owner).toEqual({ tokens: null, emails: null });
    for (const one of data.organization.membersWithRole.nodes.filter(
      ({ login }: { login: string }) => login !== 'juniper',
    ))
      expect(one).toMatchObject({ tokens: null, emails: null });
  });

  test('nodes are found by their owner alone', async () => {
    const { rows } = await sql<{ token: number; email: number; delivery: number; key: number }>`
      select (select min(id) from host_credential where account_id = ${await numberOf('wren')}) as token,
        (select min(id) from account_email where account_id = ${await numberOf('wren')}) as email,
        (select min(d.id) from webhook_delivery d join app a on a.id = d.app_id where a.slug = 'many-3') as delivery,
        (select min(id) from app_key) as key`.execute(db);
    const [row] = rows;
    const ids = [
      encodeGlobalId('Token', row?.token ?? 0),
      encodeGlobalId('AccountEmail', row?.email ?? 0),
      encodeGlobalId('WebhookDelivery', row?.delivery ?? 0),
      encodeGlobalId('AppKey', row?.key ?? 0),
      demoApp,
      installation,
    ];
    const query = 'query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
    const found = async (token?: string): Promise<(string | undefined)[]> =>
      (await ask(query, token, { ids })).data.nodes.map((one: { __typename: string } | null) => one?.__typename);
    const all = ['Token', 'AccountEmail', 'WebhookDelivery', 'AppKey', 'App', 'Installation'];
    expect(await found(wren.classic_token)).toEqual(all);
    for (const token of [tomas.classic_token, linh.classic_token, wren.fine_grained_token, undefined]) {
      expect((await found(token)).filter(one => one !== undefined && one !== 'AccountEmail')).toEqual([]);
    }
    expect(await found(linh.classic_token)).toEqual(all.map(() => undefined));
    expect(await found(await appJwt(gateway, demo))).toEqual([
      undefined,
      undefined,
      undefined,
      'AppKey',
      'App',
      'Installation',
    ]);
  });

  test('the webhook of an app needs a credential that covers the app', async () => {
    const { token } = await inTransaction(gateway.database, async transaction =>
      insertCredential(
        transaction,
        { kind: 'classic', accountId: await numberOf('wren'), scopes: ['user', 'admin:org'] },
        gateway.clock.now,
      ),
    );
    const query = `{ node(id: "${demoApp}") { ... on App { slug webhook { url } } } }`;
    const answer = await ask(query, token);
    expect([codeOf(answer), answer.data.node]).toEqual(['FORBIDDEN', { slug: 'harbor-pilot', webhook: null }]);
    expect((await ask(query, juniper.classic_token)).data.node).toBeNull();
    const apps = '{ organization(login: "harbor-lab") { apps { totalCount } } }';
    expect((await ask(apps, juniper.classic_token)).data.organization.apps).toEqual({ totalCount: 0 });
    expect(codeOf(await ask(apps))).toBe('UNAUTHENTICATED');
  });
});

test('an app reads itself, its installations and its webhook', async () => {
  const jwt = await appJwt(gateway, demo);
  const query = `{ viewerApp { id slug installation(id: "${installation}") { id } installations { totalCount nodes { app { slug } account { login } } }
    webhook { url hasSecret isTlsVerified isRetried deliveries { totalCount } } } }`;
  const { data } = await ask(query, jwt);
  expect(data.viewerApp).toMatchObject({
    id: demoApp,
    slug: 'harbor-pilot',
    installation: { id: installation },
    installations: { totalCount: 1, nodes: [{ app: { slug: 'harbor-pilot' }, account: { login: 'harbor-lab' } }] },
    webhook: { isTlsVerified: true, isRetried: false },
  });
  expect(await statementsOf('{ viewerApp { webhook { url } } }', jwt)).toBe(
    await statementsOf('{ viewerApp { slug } }', jwt),
  );
});

test('tokens are listed with their notes, page by page', async () => {
  const made = await ask(
    'mutation { createClassicToken(input: { note: "listed", scopes: ["repo"], clientMutationId: "c" }) { clientMutationId secret token { id note kind scopes expiresAt } } }',
    wren.classic_token,
  );
  const { secret, token, clientMutationId } = made.data.createClassicToken;
  expect([clientMutationId, token]).toMatchObject([
    'c',
    { note: 'listed', kind: 'CLASSIC', scopes: ['repo'], expiresAt: null },
  ]);
  const query =
    'query($after: String) { viewer { tokens(first: 1, after: $after) { nodes { id note } pageInfo { endCursor hasNextPage } } } }';
  const first = (await ask(query, wren.classic_token)).data.viewer.tokens;
  expect(first).toMatchObject({ nodes: [{ id: token.id, note: 'listed' }], pageInfo: { hasNextPage: true } });
  const second = (await ask(query, wren.classic_token, { after: first.pageInfo.endCursor })).data.viewer.tokens;
  expect(second.nodes[0].id).not.toBe(token.id);
  expect((await call(gateway, 'GET', '/user', `Bearer ${secret}`)).status).toBe(200);
});

test.each([
  ['followUser(input: { userId: "x" }) { user { login } }', 'BAD_USER_INPUT'],
  [`followUser(input: { userId: "${encodeGlobalId('Organization', 1)}" }) { user { login } }`, 'BAD_USER_INPUT'],
  [`followUser(input: { userId: "${encodeGlobalId('User', 987_654)}" }) { user { login } }`, 'NOT_FOUND'],
  [`revokeToken(input: { tokenId: "${encodeGlobalId('User', 1)}" }) { deletedId }`, 'BAD_USER_INPUT'],
  [`revokeToken(input: { tokenId: "${encodeGlobalId('Token', 987_654)}" }) { deletedId }`, 'NOT_FOUND'],
  [`uninstallApp(input: { installationId: "${encodeGlobalId('Installation', 987_654)}" }) { deletedId }`, 'NOT_FOUND'],
  [`removeAppKey(input: { appKeyId: "${encodeGlobalId('AppKey', 987_654)}" }) { deletedId }`, 'NOT_FOUND'],
  [
    `redeliverAppDelivery(input: { deliveryId: "${encodeGlobalId('WebhookDelivery', 987_654)}" }) { clientMutationId }`,
    'NOT_FOUND',
  ],
  [
    `setOrganizationMember(input: { organizationId: "${encodeGlobalId('Organization', 987_654)}", userId: "${encodeGlobalId('User', 1)}", role: ADMIN }) { membership { role } }`,
    'NOT_FOUND',
  ],
  ['createWorkflowToken(input: { repository: { id: "x" }, permissions: [] }) { secret }', 'BAD_USER_INPUT'],
])('%s is refused with %s', async (mutation, code) => {
  const answer = await ask(`mutation { ${mutation} }`, wren.classic_token);
  expect(codeOf(answer)).toBe(code);
});
