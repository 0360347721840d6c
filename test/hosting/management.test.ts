import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { startGateway } from '../../src/server/gateway.ts';
import { createLogger } from '../../src/server/logger.ts';
import { testGateway } from '../harness/gateway.ts';
import { acceptInvitations, appJwt, basic, call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';
import { testSecret } from '../harness/secret.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const { wren, juniper, tomas, linh, okello } = demo.users;
const get = (path: string, token: string) => call(gateway, 'GET', path, `Bearer ${token}`);
const ask = (query: string, token?: string, variables?: Record<string, unknown>) =>
  graphql(gateway, query, token, variables);
const idOf = (path: string): Promise<string> => globalIdOf(gateway, path);
/** Global ids of demo accounts. */
const ids = Object.fromEntries(
  await Promise.all(
    ['wren', 'juniper', 'linh', 'tomas', 'harbor-lab', 'northgate'].map(
      async login => [login, await globalIdOf(gateway, login)] as const,
    ),
  ),
);
const codeOf = (answer: { errors?: { extensions: { code: string } }[] }) => answer.errors?.[0]?.extensions.code;
let names = 0;
const fresh = (): string => `thing-${process.pid}-${++names}`;
/** A classic token with these scopes, created by one that has all. */
async function classic(token: string, scopes: string[]): Promise<{ token: string; id: number }> {
  const query =
    'mutation($scopes: [String!]!) { createClassicToken(input: { note: "test", scopes: $scopes }) { secret token { databaseId } } }';
  const { data } = await ask(query, token, { scopes });
  return { token: data.createClassicToken.secret, id: data.createClassicToken.token.databaseId };
}

const revoking = (id: number): string =>
  `mutation { revokeToken(input: { tokenId: "${encodeGlobalId('Token', id)}" }) { deletedId } }`;

describe('tokens', () => {
  test('are created, shown once, listed without their text, and revoked at once', async () => {
    const { token, id } = await classic(juniper.classic_token, ['repo']);
    expect((await get('/user', token)).json.login).toBe('juniper');
    const { data } = await ask(
      '{ viewer { tokens { nodes { databaseId kind lastEight scopes } } } }',
      juniper.classic_token,
    );
    expect(data.viewer.tokens.nodes[0]).toEqual({
      databaseId: id,
      kind: 'CLASSIC',
      lastEight: token.slice(-8),
      scopes: ['repo'],
    });
    expect(JSON.stringify(data)).not.toContain(token);
    expect(await ask(revoking(id), linh.classic_token)).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
    expect(await ask(revoking(id), juniper.classic_token)).toEqual({
      data: { revokeToken: { deletedId: encodeGlobalId('Token', id) } },
    });
    expect((await get('/user', token)).status).toBe(401);
  });

  test('do no more than the token that creates them', async () => {
    const { token } = await classic(juniper.classic_token, ['public_repo', 'user']);
    const make = (scopes: string[]) =>
      ask(
        'mutation($scopes: [String!]!) { createClassicToken(input: { note: "n", scopes: $scopes }) { secret } }',
        token,
        {
          scopes,
        },
      );
    expect(codeOf(await make(['repo']))).toBe('FORBIDDEN');
    expect(codeOf(await make(['admin:org']))).toBe('FORBIDDEN');
    expect((await make(['public_repo', 'user:follow'])).data.createClassicToken.secret).toMatch(/^hostp_/);
    expect(codeOf(await make(['nonsense']))).toBe('RULE_BROKEN');
    const fine =
      'mutation { createFineGrainedToken(input: { note: "n", permissions: [{ name: "contents", level: WRITE }] }) { secret } }';
    expect(codeOf(await ask(fine, token))).toBe('FORBIDDEN');
    for (const other of [
      juniper.fine_grained_token,
      demo.tokens.oauth,
      demo.tokens.user_to_server,
      demo.tokens.installation,
    ]) {
      expect(
        codeOf(await ask('mutation { createClassicToken(input: { note: "n", scopes: [] }) { secret } }', other)),
      ).toBe('FORBIDDEN');
    }
  });

  test('fine-grained ones see what they are restricted to', async () => {
    const ledger = await globalIdOf(gateway, 'harbor-lab/ledger');
    const make = `mutation { createFineGrainedToken(input: { note: "n", resourceOwnerId: "${ids['harbor-lab']}", repositoryIds: ["${ledger}"], permissions: [{ name: "contents", level: READ }] }) { secret token { repositorySelection permissions { name level } } } }`;
    const { data } = await ask(make, juniper.classic_token);
    expect(data.createFineGrainedToken.token).toEqual({
      repositorySelection: 'SELECTED',
      permissions: [{ name: 'contents', level: 'READ' }],
    });
    expect((await get('/repos/harbor-lab/ledger', data.createFineGrainedToken.secret)).status).toBe(200);
    expect((await get('/repos/juniper/notebook', data.createFineGrainedToken.secret)).status).toBe(404);
    expect(codeOf(await ask(make.replace(ledger, encodeGlobalId('Repository', 987_654)), juniper.classic_token))).toBe(
      'RULE_BROKEN',
    );
    expect(codeOf(await ask(make.replace(ids['harbor-lab'] ?? '', ids.northgate ?? ''), juniper.classic_token))).toBe(
      'NOT_FOUND',
    );
    expect(codeOf(await ask(make.replace('contents', 'nonsense'), juniper.classic_token))).toBe('RULE_BROKEN');
    expect(codeOf(await ask(make.replace('READ', 'ALL'), juniper.classic_token))).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('of an installation revoke themselves', async () => {
    const jwt = await appJwt(gateway, demo);
    const made = await call(
      gateway,
      'POST',
      `/app/installations/${demo.app.installation_id}/access_tokens`,
      `Bearer ${jwt}`,
    );
    expect(made.status).toBe(201);
    expect((await get('/repos/harbor-lab/ledger', made.json.token)).status).toBe(200);
    expect((await call(gateway, 'DELETE', '/installation/token', `Bearer ${made.json.token}`)).status).toBe(204);
    expect((await get('/repos/harbor-lab/ledger', made.json.token)).status).toBe(401);
    expect((await call(gateway, 'DELETE', '/installation/token', `Bearer ${wren.classic_token}`)).status).toBe(403);
    expect((await call(gateway, 'DELETE', '/installation/token')).status).toBe(403);
  });

  test('revoked on one gateway are rejected on another within five seconds', async () => {
    const config = readConfig({
      PORT: '0',
      DATABASE_URL: gateway.databaseUrl,
      SECRET_KEY: testSecret,
      RATE_LIMIT_FACTOR: 'off',
    });
    const clock = { now: gateway.clock.now };
    const other = await startGateway({
      config,
      database: gateway.database,
      keys: deriveKeys(config),
      logger: createLogger('silent'),
      clock: () => clock.now,
    });
    try {
      const { token, id } = await classic(juniper.classic_token, ['repo']);
      const there = async () =>
        (await fetch(`${other.address}/user`, { headers: { authorization: `Bearer ${token}` } })).status;
      expect(await there()).toBe(200);
      await ask(revoking(id), juniper.classic_token);
      expect((await get('/user', token)).status).toBe(401);
      clock.now = new Date(clock.now.getTime() + 5_000);
      expect(await there()).toBe(401);
    } finally {
      await other.stop();
    }
  });
});

describe('installation tokens', () => {
  const make = async (body?: unknown, options = {}) =>
    call(
      gateway,
      'POST',
      `/app/installations/${demo.app.installation_id}/access_tokens`,
      `Bearer ${await appJwt(gateway, demo, options)}`,
      body,
    );

  test('state their permissions and expiry', async () => {
    const { status, json } = await make();
    expect(status).toBe(201);
    expect(json).toEqual({
      token: expect.stringMatching(/^hosts_/),
      expires_at: '2026-10-01T09:10:00Z',
      permissions: expect.objectContaining({ contents: 'write', metadata: 'read' }),
      repository_selection: 'all',
    });
  });

  test('are restricted to repositories and permissions', async () => {
    const ledger = (await get('/repos/harbor-lab/ledger', wren.classic_token)).json.id;
    const { status, json } = await make({
      repositories: ['Compass'],
      repository_ids: [ledger],
      permissions: { contents: 'read' },
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      permissions: { contents: 'read', metadata: 'read' },
      repository_selection: 'selected',
    });
    expect(json.repositories.map((one: { name: string }) => one.name)).toEqual(['compass', 'ledger']);
    expect((await get('/repos/harbor-lab/ledger', json.token)).json.permissions).toMatchObject({
      pull: true,
      push: false,
    });
    const one = await make({ repositories: ['compass'] });
    expect((await get('/repos/harbor-lab/ledger', one.json.token)).status).toBe(404);
  });

  test.each([
    [
      'more than was given',
      { permissions: { contents: 'admin' } },
      422,
      'The permissions requested are not granted to this installation.',
    ],
    [
      'what was not given',
      { permissions: { members: 'read' } },
      422,
      'The permissions requested are not granted to this installation.',
    ],
    ['a repository that is not there', { repositories: ['nothing'] }, 422, /at least one repository/],
    ['a repository of somebody else', { repositories: ['notebook'] }, 422, /at least one repository/],
    ['501 repositories', { repository_ids: Array.from({ length: 501 }, (_, at) => at + 1) }, 422, /at most 500/],
    ['a level that is none', { permissions: { contents: 'all' } }, 422, /^Invalid request/],
    ['a list in the place of the object', { permissions: [] }, 422, /^Invalid request/],
    ['text in the place of numbers', { repository_ids: ['1'] }, 422, /^Invalid request/],
    ['broken JSON', '{', 400, 'Problems parsing JSON'],
    ['a list', '[]', 400, 'Body should be a JSON object'],
  ])('are rejected for %s', async (_name, body, status, message) => {
    const answer = await make(body);
    expect(answer.status).toBe(status);
    expect(answer.json.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test('are rejected where the app is not installed or is suspended', async () => {
    const jwt = `Bearer ${await appJwt(gateway, demo)}`;
    expect((await call(gateway, 'POST', '/app/installations/987654/access_tokens', jwt)).json.message).toBe(
      'Not Found',
    );
    const { json } = await make();
    const installationId = encodeGlobalId('Installation', Number(demo.app.installation_id));
    const change = (mutation: string, token = wren.classic_token) =>
      ask(
        `mutation { ${mutation}(input: { installationId: "${installationId}" }) { installation { suspendedAt } } }`,
        token,
      );
    expect(codeOf(await change('suspendInstallation', juniper.classic_token))).toBe('NOT_FOUND');
    expect((await change('suspendInstallation')).data.suspendInstallation.installation.suspendedAt).toBe(
      '2026-10-01T08:10:00.000000Z',
    );
    expect(await make()).toMatchObject({ status: 403, json: { message: 'This installation has been suspended' } });
    expect((await get('/repos/harbor-lab/ledger', json.token)).status).toBe(403);
    expect((await change('unsuspendInstallation')).data.unsuspendInstallation.installation.suspendedAt).toBeNull();
    expect((await get('/repos/harbor-lab/ledger', json.token)).status).toBe(200);
  });
});

describe('apps', () => {
  test('are registered, given a key, installed and uninstalled', async () => {
    const name = fresh();
    const registered = await ask(
      'mutation($name: String!) { createApp(input: { name: $name, url: "https://x.example", permissions: [{ name: "contents", level: READ }] }) { app { id databaseId slug clientId } clientSecret } }',
      juniper.classic_token,
      { name },
    );
    const { app, clientSecret } = registered.data.createApp;
    const key = (
      await ask(
        `mutation { addAppKey(input: { appId: "${app.id}" }) { appKey { id } privateKey } }`,
        juniper.classic_token,
      )
    ).data.addAppKey;
    const jwt = await appJwt(gateway, {
      ...demo,
      app: { ...demo.app, id: app.databaseId, private_key: key.privateKey },
    });
    expect((await get('/app', jwt)).json).toMatchObject({ slug: app.slug, owner: { login: 'juniper' } });
    expect((await call(gateway, 'GET', '/users/wren', basic(app.clientId, clientSecret))).status).toBe(200);
    const installed = await ask(
      'mutation($slug: String!, $ids: [ID!]) { installApp(input: { slug: $slug, repositoryIds: $ids }) { installation { id databaseId repositorySelection } } }',
      juniper.classic_token,
      { slug: app.slug, ids: [await globalIdOf(gateway, 'juniper/notebook')] },
    );
    const { id: installationId, databaseId: id } = installed.data.installApp.installation;
    const uninstall = `mutation { uninstallApp(input: { installationId: "${installationId}" }) { deletedId } }`;
    const { json } = await call(gateway, 'POST', `/app/installations/${id}/access_tokens`, `Bearer ${jwt}`);
    expect((await get('/repos/juniper/notebook', json.token)).status).toBe(200);
    expect((await get(`/app/installations/${id}`, jwt)).json).toMatchObject({
      id,
      account: { login: 'juniper' },
      app_slug: app.slug,
      target_type: 'User',
    });
    expect((await get(`/app/installations/${demo.app.installation_id}`, jwt)).status).toBe(404);
    expect(codeOf(await ask(uninstall, linh.classic_token))).toBe('NOT_FOUND');
    await ask(uninstall, juniper.classic_token);
    expect((await get('/repos/juniper/notebook', json.token)).status).toBe(401);
    await ask(
      `mutation { removeAppKey(input: { appKeyId: "${key.appKey.id}" }) { deletedId } }`,
      juniper.classic_token,
    );
    expect((await get('/app', jwt)).json.message).toBe('A JSON web token could not be decoded');
    expect(
      codeOf(
        await ask(
          'mutation($name: String!) { createApp(input: { name: $name, url: "https://x.example", permissions: [] }) { clientSecret } }',
          linh.classic_token,
          { name },
        ),
      ),
    ).toBe('RULE_BROKEN');
  });

  test.each([
    [
      'a short key',
      () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }),
    ],
    ['a key of another kind', () => generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })],
    [
      'a private key',
      () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ],
    ['no key', () => 'nonsense'],
  ])('are not given %s', async (_name, make) => {
    const answer = await ask(
      `mutation($key: String!) { addAppKey(input: { appId: "${encodeGlobalId('App', Number(demo.app.id))}", publicKey: $key }) { privateKey } }`,
      wren.classic_token,
      { key: String(make()) },
    );
    expect(codeOf(answer)).toBe('RULE_BROKEN');
  });
});

describe('OAuth app tokens', () => {
  const { client_id: id, client_secret: secret } = demo.oauth_app;
  const pair = basic(id, secret);
  const authorize = async (): Promise<string> =>
    (
      await ask(
        'mutation($id: String!) { authorizeApp(input: { clientId: $id, scopes: ["repo"] }) { secret } }',
        juniper.classic_token,
        { id },
      )
    ).data.authorizeApp.secret;
  const at = (method: string, path: string, body?: unknown, header: string | undefined = pair) =>
    call(gateway, method, `/applications/${id}${path}`, header, body);

  test('are checked', async () => {
    const token = await authorize();
    const { status, json } = await at('POST', '/token', { access_token: token });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      token,
      token_last_eight: token.slice(-8),
      hashed_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      scopes: ['repo'],
      app: { client_id: id, name: 'Lighthouse' },
      user: { login: 'juniper' },
      note: null,
      installation: null,
      expires_at: null,
    });
  });

  test('are reset: the old text is invalid at once, and one of ten concurrent resets succeeds', async () => {
    const token = await authorize();
    await get('/user', token);
    const answers = await Promise.all(Array.from({ length: 10 }, () => at('PATCH', '/token', { access_token: token })));
    expect(answers.filter(one => one.status === 200)).toHaveLength(1);
    expect(answers.filter(one => one.status === 404)).toHaveLength(9);
    const next = answers.find(one => one.status === 200)?.json.token;
    expect((await get('/user', token)).status).toBe(401);
    expect((await get('/user', next)).json.login).toBe('juniper');
  });

  test('are revoked, one or all of a user', async () => {
    const [one, two, three] = [await authorize(), await authorize(), await authorize()];
    expect((await at('DELETE', '/token', { access_token: one })).status).toBe(204);
    expect((await at('DELETE', '/token', { access_token: one })).status).toBe(404);
    expect((await get('/user', one)).status).toBe(401);
    expect((await get('/user', two)).status).toBe(200);
    expect((await at('DELETE', '/grant', { access_token: two })).status).toBe(204);
    expect((await get('/user', two)).status).toBe(401);
    expect((await get('/user', three)).status).toBe(401);
    expect((await get('/user', juniper.classic_token)).status).toBe(200);
  });

  test.each([
    ['no token', {}, 422],
    ['null', { access_token: null }, 422],
    ['a number', { access_token: 1 }, 422],
    ['nonsense', { access_token: 'nonsense' }, 404],
    ['a token of somebody else', { access_token: wren.classic_token }, 404],
    ['a token of another app', { access_token: demo.tokens.user_to_server }, 404],
  ])('%s is rejected', async (_name, body, status) => {
    for (const [method, path] of [
      ['POST', '/token'],
      ['PATCH', '/token'],
      ['DELETE', '/token'],
      ['DELETE', '/grant'],
    ] as const) {
      expect((await at(method, path, body)).status).toBe(status);
    }
  });

  test('are not accessible to others', async () => {
    const body = { access_token: 'x' };
    expect((await at('POST', '/token', body, basic(demo.app.client_id, demo.app.client_secret))).status).toBe(404);
    expect((await at('POST', '/token', body, `Bearer ${wren.classic_token}`)).status).toBe(403);
    expect((await call(gateway, 'POST', `/applications/${id}/token`, undefined, body)).json.message).toBe(
      'Requires authentication',
    );
    expect((await at('POST', '/token', body, basic(id, 'wrong'))).json.message).toBe('Bad credentials');
  });
});

test('of an app are restricted to one account', async () => {
  const pair = basic(demo.app.client_id, demo.app.client_secret);
  const scoped = (body: object) =>
    call(gateway, 'POST', `/applications/${demo.app.client_id}/token/scoped`, pair, {
      access_token: demo.tokens.user_to_server,
      ...body,
    });
  const { status, json } = await scoped({
    target: 'Harbor-Lab',
    repositories: ['compass'],
    permissions: { contents: 'read' },
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    user: { login: 'juniper' },
    installation: {
      permissions: { contents: 'read' },
      repository_selection: 'selected',
      account: { login: 'harbor-lab' },
    },
  });
  expect((await get('/repos/harbor-lab/ledger', json.token)).status).toBe(404);
  expect((await get('/repos/harbor-lab/compass', json.token)).status).toBe(200);
  expect((await scoped({})).status).toBe(422);
  expect((await scoped({ target: 'harbor-lab', target_id: 1 })).status).toBe(422);
  expect((await scoped({ target: 'harbor-lab', repositories: [], repository_ids: [] })).status).toBe(422);
  expect((await scoped({ target: 'wren' })).status).toBe(404);
  expect((await scoped({ target: 'harbor-lab', permissions: { members: 'write' } })).status).toBe(422);
  const again = await call(gateway, 'POST', `/applications/${demo.app.client_id}/token/scoped`, pair, {
    access_token: json.token,
    target: 'harbor-lab',
  });
  expect(again.status).toBe(403);
});

describe('organizations', () => {
  test('are created, with logins that are unique case-insensitively', async () => {
    const login = fresh();
    const make = (text: string, token = okelloUser) =>
      ask(
        'mutation($login: String!) { createOrganization(input: { login: $login, name: "N" }) { organization { login __typename } } }',
        token,
        {
          login: text,
        },
      );
    expect((await make(login, juniper.classic_token)).data.createOrganization.organization).toEqual({
      login,
      __typename: 'Organization',
    });
    expect((await make(login.toUpperCase(), linh.classic_token)).errors[0].extensions.errors).toEqual([
      { resource: 'Account', field: 'login', code: 'already_exists' },
    ]);
    expect(codeOf(await make('wren', linh.classic_token))).toBe('RULE_BROKEN');
    for (const reserved of [
      'api',
      'GraphQL',
      'repos',
      'settings',
      '-x',
      'x-',
      'x--y',
      'x_y',
      'x.y',
      'é',
      'a'.repeat(40),
      '',
      '‮abc',
    ]) {
      expect(codeOf(await make(reserved, linh.classic_token))).toBe('RULE_BROKEN');
    }
    expect(codeOf(await make(fresh(), okello.classic_token))).toBe('FORBIDDEN');
  });
  const okelloUser = okello.classic_token;

  test('thirty concurrent requests for one login: one succeeds', async () => {
    const login = fresh();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        ask(
          'mutation($login: String!) { createOrganization(input: { login: $login }) { organization { login } } }',
          [juniper, linh, wren][at % 3]?.classic_token,
          { login: at % 2 ? login : login.toUpperCase() },
        ),
      ),
    );
    expect(answers.filter(one => one.data?.createOrganization)).toHaveLength(1);
    expect(answers.filter(one => codeOf(one) === 'RULE_BROKEN')).toHaveLength(29);
  });

  test('keep one administrator when all leave at once', async () => {
    const login = fresh();
    await ask(
      'mutation($login: String!) { createOrganization(input: { login: $login }) { organization { login } } }',
      wren.classic_token,
      {
        login,
      },
    );
    const organizationId = await globalIdOf(gateway, login);
    const member = (user: string, role: string, token = wren.classic_token) =>
      ask(
        `mutation($organizationId: ID!) { setOrganizationMember(input: { organizationId: $organizationId, userId: "${ids[user]}", role: ${role} }) { membership { role user { login } } } }`,
        token,
        { organizationId },
      );
    expect((await member('juniper', 'ADMIN')).data.setOrganizationMember.membership).toEqual({
      role: 'ADMIN',
      user: { login: 'juniper' },
    });
    const accept = `mutation { acceptOrganizationInvitation(input: { organizationId: "${organizationId}" }) { membership { state } } }`;
    expect((await ask(accept, juniper.classic_token)).data.acceptOrganizationInvitation.membership.state).toBe(
      'ACTIVE',
    );
    expect(codeOf(await member('linh', 'ADMIN', linh.classic_token))).toBe('FORBIDDEN');
    const admin = (
      await ask(
        'mutation { createClassicToken(input: { note: "n", scopes: ["admin:org"] }) { secret } }',
        wren.classic_token,
      )
    ).data.createClassicToken.secret;
    const answers = await Promise.all(
      ['wren', 'juniper'].map(user =>
        ask(
          `mutation { removeOrganizationMember(input: { organizationId: "${organizationId}", userId: "${ids[user]}" }) { organization { login } } }`,
          admin,
        ),
      ),
    );
    expect(answers.filter(one => one.data?.removeOrganizationMember).length).toBeLessThanOrEqual(1);
  });

  test('are renamed, and the old login redirects until it is taken', async () => {
    const [before, after] = [fresh(), fresh()];
    await ask(
      'mutation($login: String!) { createOrganization(input: { login: $login }) { organization { login } } }',
      wren.classic_token,
      {
        login: before,
      },
    );
    await ask(
      'mutation($owner: ID!) { createRepository(input: { ownerId: $owner, name: "box", visibility: PUBLIC }) { repository { id } } }',
      wren.classic_token,
      { owner: await idOf(before) },
    );
    const renamed = await ask(
      'mutation($a: ID!, $b: String!) { renameOrganization(input: { organizationId: $a, login: $b }) { organization { login } } }',
      wren.classic_token,
      { a: await globalIdOf(gateway, before), b: after },
    );
    expect(renamed.data.renameOrganization.organization.login).toBe(after);
    expect((await get(`/orgs/${after}`, wren.classic_token)).status).toBe(200);
    expect((await get(`/repos/${after}/box`, wren.classic_token)).status).toBe(200);
  });
});

describe('repositories', () => {
  const create = async (name: string, token: string, owner?: string, visibility = 'PUBLIC') => {
    const input = { name, visibility, ...(owner === undefined ? {} : { ownerId: await idOf(owner) }) };
    const document = `mutation($input: CreateRepositoryInput!) {
      createRepository(input: $input) { repository { nameWithOwner isPrivate } } }`;
    return ask(document, token, { input });
  };

  test('are created by those who may, and belong to them', async () => {
    const name = fresh();
    const made = async (...args: Parameters<typeof create>) => (await create(...args)).data.createRepository.repository;
    const refused = async (...args: Parameters<typeof create>) => codeOf(await create(...args));
    expect(await made(name, juniper.classic_token, undefined, 'PRIVATE')).toEqual({
      nameWithOwner: `juniper/${name}`,
      isPrivate: true,
    });
    expect(await refused(name.toUpperCase(), juniper.classic_token)).toBe('RULE_BROKEN');
    expect((await made(name, juniper.classic_token, 'harbor-lab')).nameWithOwner).toBe(`harbor-lab/${name}`);
    expect(await refused(fresh(), linh.classic_token, 'harbor-lab')).toBe('FORBIDDEN');
    expect(await refused(fresh(), linh.classic_token, undefined, 'PRIVATE')).toBe('FORBIDDEN');
    expect((await made(fresh(), linh.classic_token)).isPrivate).toBe(false);
    expect(await refused(fresh(), okello.classic_token)).toBe('FORBIDDEN');
    expect(await refused(fresh(), tomas.classic_token, 'northgate')).toBe('FORBIDDEN');
    expect(await refused(fresh(), juniper.fine_grained_token)).toBe('FORBIDDEN');
    expect(await made(fresh(), wren.fine_grained_token, 'harbor-lab')).toBeTruthy();
    expect(await refused(fresh(), demo.tokens.installation, 'harbor-lab')).toBe('FORBIDDEN');
    for (const bad of ['', '.', '..', 'a/b', 'a b', 'x.git', 'é', 'a'.repeat(101)])
      expect(await refused(bad, juniper.classic_token)).toBe('RULE_BROKEN');
  });

  test('are renamed and archived by administrators only', async () => {
    const [name, next] = [fresh(), fresh()];
    await create(name, wren.classic_token, 'harbor-lab');
    const id = await idOf(`harbor-lab/${name}`);
    const rename = (token: string) =>
      ask(
        `mutation { updateRepository(input: { repositoryId: "${id}", name: "${next}" }) { repository { name } } }`,
        token,
      );
    const archive = (repositoryId: string, token: string) =>
      ask(
        `mutation { archiveRepository(input: { repositoryId: "${repositoryId}" }) { repository { isArchived } } }`,
        token,
      );
    const refused = await rename(juniper.classic_token);
    expect(refused.errors[0].message).toBe('Must have admin rights to Repository.');
    expect((await rename(wren.classic_token)).data.updateRepository.repository.name).toBe(next);
    expect((await get(`/repos/harbor-lab/${next}`, wren.classic_token)).status).toBe(200);
    const archived = await archive(id, wren.classic_token);
    expect(archived.data.archiveRepository.repository.isArchived).toBe(true);
    expect(codeOf(await archive(await idOf('juniper/notebook'), wren.classic_token))).toBe('NOT_FOUND');
    const restored = await ask(
      `mutation { unarchiveRepository(input: { repositoryId: "${id}" }) { repository { isArchived } } }`,
      wren.classic_token,
    );
    expect(restored.data.unarchiveRepository.repository.isArchived).toBe(false);
  });

  test('add and remove collaborators', async () => {
    const name = fresh();
    await create(name, juniper.classic_token, undefined, 'PRIVATE');
    const repository = `repository: { named: { owner: "juniper", name: "${name}" } }, userId: "${await idOf('tomas')}"`;
    const path = `/repos/juniper/${name}`;
    expect((await get(path, tomas.classic_token)).status).toBe(404);
    await ask(
      `mutation { setCollaborator(input: { ${repository}, permission: TRIAGE }) { permission user { login } } }`,
      juniper.classic_token,
    );
    expect((await get(path, tomas.classic_token)).status).toBe(404);
    await acceptInvitations(gateway, tomas.classic_token);
    expect((await get(path, tomas.classic_token)).json.permissions).toMatchObject({ triage: true, push: false });
    expect(
      (
        await ask(
          `mutation { archiveRepository(input: { repositoryId: "${await idOf(`juniper/${name}`)}" }) { repository { id } } }`,
          tomas.classic_token,
        )
      ).errors[0].message,
    ).toBe('Must have admin rights to Repository.');
    await ask(`mutation { removeCollaborator(input: { ${repository} }) { user { login } } }`, juniper.classic_token);
    expect((await get(path, tomas.classic_token)).status).toBe(404);
  });

  test('are starred and watched, and users followed, idempotently', async () => {
    const dotfiles = await idOf('wren/dotfiles');
    const star = (mutation: string, id: string, token: string) =>
      ask(`mutation { ${mutation}(input: { starrableId: "${id}" }) { starrable { stargazerCount } } }`, token);
    for (const [mutation, stargazerCount] of [
      ['addStar', 1],
      ['addStar', 1],
      ['removeStar', 0],
    ] as const) {
      const answer = await star(mutation, dotfiles, juniper.classic_token);
      expect(answer).toEqual({ data: { [mutation]: { starrable: { stargazerCount } } } });
    }
    const watching = await ask(
      `mutation { updateSubscription(input: { subscribableId: "${dotfiles}", state: SUBSCRIBED }) {
        subscribable { viewerSubscription ... on Repository { watchers { totalCount } } } } }`,
      juniper.classic_token,
    );
    expect(watching.data.updateSubscription.subscribable).toEqual({
      viewerSubscription: 'SUBSCRIBED',
      watchers: { totalCount: 1 },
    });
    await ask(`mutation { followUser(input: { userId: "${ids.tomas}" }) { user { login } } }`, juniper.classic_token);
    expect((await get('/users/tomas', juniper.classic_token)).json.followers).toBe(1);
    const self = `mutation { followUser(input: { userId: "${ids.juniper}" }) { user { login } } }`;
    expect(codeOf(await ask(self, juniper.classic_token))).toBe('RULE_BROKEN');
    const vault = await idOf('northgate/vault');
    expect(codeOf(await star('addStar', vault, okello.classic_token))).toBe('FORBIDDEN');
    expect(codeOf(await star('addStar', vault, juniper.classic_token))).toBe('NOT_FOUND');
  });
});

describe('single sign-on', () => {
  test('rejects a classic token with a link to authorize it, valid for an hour', async () => {
    const refused = await get('/repos/northgate/vault', tomas.classic_token);
    expect(refused).toMatchObject({
      status: 403,
      json: {
        message:
          'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
      },
    });
    const header = refused.headers.get('x-host-sso') ?? '';
    const [, request = ''] = /^required; url=http\S+authorization_request=(\S+)$/.exec(header) ?? [];
    const page = await gateway.request(new URL(header.replace('required; url=', '')).pathname);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain('authorizeTokenForSso');
    const authorize = (token: string, text = request) =>
      ask(
        'mutation($request: String!) { authorizeTokenForSso(input: { request: $request }) { organization { login } } }',
        token,
        {
          request: text,
        },
      );
    // Not with the token itself, nor by strangers, nor after an hour, nor with another text.
    expect(codeOf(await authorize(tomas.classic_token))).toBe('FORBIDDEN');
    expect(codeOf(await authorize(juniper.classic_token))).toBe('NOT_FOUND');
    expect(codeOf(await authorize(wren.classic_token, `${request}x`))).toBe('RULE_BROKEN');
    const now = gateway.clock.now;
    gateway.clock.now = new Date(now.getTime() + 3_600_001);
    expect(codeOf(await authorize(wren.classic_token))).toBe('RULE_BROKEN');
    gateway.clock.now = now;
    expect(await authorize(wren.classic_token)).toEqual({
      data: { authorizeTokenForSso: { organization: { login: 'northgate' } } },
    });
    const open = await get('/repos/northgate/vault', tomas.classic_token);
    expect(open.status).toBe(200);
    expect(open.headers.get('x-host-sso')).toBeNull();
  });

  test('does not restrict public data, and an unauthorized token creates no fine-grained token', async () => {
    const { token } = await classic(wren.classic_token, ['repo', 'user', 'admin:org']);
    expect((await get('/repos/northgate/handbook', token)).status).toBe(200);
    expect((await get('/repos/northgate/vault', token)).status).toBe(403);
    const make = `mutation { createFineGrainedToken(input: { note: "n", resourceOwnerId: "${ids.northgate}", permissions: [{ name: "contents", level: READ }] }) { secret } }`;
    expect(codeOf(await ask(make, token))).toBe('FORBIDDEN');
    const { data } = await ask(make, wren.classic_token);
    expect((await get('/repos/northgate/vault', data.createFineGrainedToken.secret)).status).toBe(200);
    expect(
      codeOf(
        await ask(
          `mutation { updateOrganizationSso(input: { organizationId: "${ids.northgate}", isEnforced: false }) { organization { login } } }`,
          token,
        ),
      ),
    ).toBe('FORBIDDEN');
  });
});

test('signing keys are added, public, unique, and revoked', async () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'jwk' }).x ?? '';
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const line = `ssh-ed25519 ${Buffer.concat([part(Buffer.from('ssh-ed25519')), part(Buffer.from(raw, 'base64url'))]).toString('base64')} me@home`;
  const add = (token: string, key = line, kind = 'SSH') =>
    ask(
      `mutation($key: String!) { addSigningKey(input: { kind: ${kind}, title: "Laptop", publicKey: $key }) { signingKey { id fingerprint publicKey } } }`,
      token,
      { key },
    );
  const { data } = await add(juniper.classic_token);
  const removal = `mutation { removeSigningKey(input: { signingKeyId: "${data.addSigningKey.signingKey.id}" }) { deletedId } }`;
  expect(data.addSigningKey.signingKey.fingerprint).toMatch(/^SHA256:/);
  expect(data.addSigningKey.signingKey.publicKey).not.toContain('me@home');
  expect(codeOf(await add(wren.classic_token))).toBe('RULE_BROKEN');
  for (const bad of [
    '',
    'ssh-ed25519 AAAA',
    line.replace('ssh-ed25519', 'ssh-rsa'),
    '-----BEGIN OPENSSH PRIVATE KEY-----',
  ])
    expect(codeOf(await add(wren.classic_token, bad))).toBe('RULE_BROKEN');
  expect(codeOf(await add(wren.classic_token, 'nonsense', 'PGP'))).toBe('RULE_BROKEN');
  expect(
    (await ask('{ user(login: "juniper") { signingKeys { nodes { title } } } }')).data.user.signingKeys.nodes,
  ).toEqual([{ title: 'Laptop' }]);
  expect(codeOf(await ask(removal, wren.classic_token))).toBe('NOT_FOUND');
  await ask(removal, juniper.classic_token);
  expect(
    (await ask('{ user(login: "juniper") { signingKeys { nodes { title } } } }')).data.user.signingKeys.nodes,
  ).toEqual([]);
});

test('site administrators create users and verify their email addresses', async () => {
  const login = fresh();
  const make = (token: string) =>
    ask(
      `mutation { createUser(input: { login: "${login}", email: "${login}@example.org" }) { user { login } } }`,
      token,
    );
  expect(codeOf(await make(juniper.classic_token))).toBe('FORBIDDEN');
  expect(codeOf(await make(wren.fine_grained_token))).toBe('FORBIDDEN');
  expect((await make(wren.classic_token)).data.createUser.user.login).toBe(login);
  await ask(
    'mutation { addEmails(input: { emails: ["juniper@other.example"] }) { emails { verifiedAt } } }',
    juniper.classic_token,
  );
  const emails = '{ user(login: "juniper") { emails { nodes { email isPrimary } } } }';
  expect((await ask(emails, juniper.classic_token)).data.user.emails.nodes).toEqual([
    { email: 'juniper@example.org', isPrimary: true },
    { email: 'juniper@other.example', isPrimary: false },
  ]);
  expect((await ask(emails, wren.classic_token)).data.user.emails).toBeNull();
  expect((await ask(emails)).data.user.emails).toBeNull();
  expect(
    (
      await ask(
        `mutation { verifyUserEmail(input: { userId: "${ids.juniper}", email: "juniper@other.example" }) { email { verifiedAt } } }`,
        wren.classic_token,
      )
    ).data.verifyUserEmail.email.verifiedAt,
  ).toBe('2026-10-01T08:10:00.000000Z');
  const renamed = await ask(
    'mutation($login: String!) { renameViewer(input: { login: $login }) { user { login } } }',
    linh.classic_token,
    {
      login: fresh(),
    },
  );
  expect((await get('/user', linh.classic_token)).json.login).toBe(renamed.data.renameViewer.user.login);
});
