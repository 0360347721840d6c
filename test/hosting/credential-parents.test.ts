import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { tokenScopeNames } from '../../src/auth/token-scopes.ts';
import { testGateway } from '../harness/gateway.ts';
import { basic, call, graphql } from '../harness/hosting.ts';
import { ledger } from './delegation-mints.ts';
import { delegationWorld, everyPermission, literal } from './delegation-world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const other = await testGateway({ beside: gateway });
const world = await delegationWorld(gateway);
const { demo, classic, made, insert, wren } = world;
const all = { mint: `createClassicToken(input: { note: "n", scopes: ["repo", "user"] })`, field: 'createClassicToken' };

async function child(parent: string, { mint, field } = all): Promise<{ token: string; id: number; expiresAt: string }> {
  const fields = 'secret token { databaseId expiresAt }';
  const answer = (await made(`${mint} { ${fields} }`, `Bearer ${parent}`, field)) as {
    secret: string;
    token: { databaseId: number; expiresAt: string };
  };
  return { token: answer.secret, id: answer.token.databaseId, expiresAt: answer.token.expiresAt };
}
const statusAt = async (at: typeof gateway, token: string): Promise<number> =>
  (await call(at, 'GET', '/user', `Bearer ${token}`)).status;
const revoke = (id: number, token = demo.users.wren.classic_token) =>
  graphql(
    gateway,
    `mutation { revokeToken(input: { tokenId: "${encodeGlobalId('Token', id)}" }) { deletedId } }`,
    token,
  );
const revoked = (id: number) => ({ data: { revokeToken: { deletedId: encodeGlobalId('Token', id) } } });
const authorizing = (id: number): string =>
  `mutation { authorizeTokenForSso(input: { organizationId: "${world.ids.northgate}", tokenId: "${encodeGlobalId('Token', id)}" }) { organization { login } } }`;

/** The clock stands still, so cached credentials stay valid unless a notification says otherwise. */
async function refusedAtOther(token: string): Promise<boolean> {
  for (;;) if ((await statusAt(other, token)) === 401) return true;
}

describe('another gateway, while its clock stands still', () => {
  test('rejects a child of a token that was revoked here', async () => {
    const { id, token } = await classic(tokenScopeNames);
    const grandchild = await child((await child(token)).token);
    expect(await statusAt(other, grandchild.token)).toBe(200);
    await revoke(id);
    expect(await statusAt(gateway, grandchild.token)).toBe(401);
    expect(await refusedAtOther(grandchild.token)).toBe(true);
  });

  test.each([
    ['an account', () => sql`update account set suspended_at = now() where id = ${wren}`],
    ['a row that an operator deletes', (id: number) => sql`delete from host_credential where id = ${id}`],
  ])('is notified of %s by a direct SQL statement', async (_name, change) => {
    const { id, token } = await classic(tokenScopeNames);
    expect(await statusAt(other, token)).toBe(200);
    await change(id).execute(world.db);
    try {
      expect(await refusedAtOther(token)).toBe(true);
    } finally {
      await sql`update account set suspended_at = null where id = ${wren}`.execute(world.db);
    }
  });
});

describe('expiry', () => {
  const inAnHour = new Date(gateway.clock.now.getTime() + 3_600_000);
  const inADay = new Date(gateway.clock.now.getTime() + 86_400_000).toISOString();

  test.each([
    ['left out', all],
    ['later', { ...all, mint: all.mint.replace(' })', `, expiresAt: "${inADay}" })`) }],
    [
      'of a workflow, a day',
      {
        mint: `createWorkflowToken(input: { ${ledger}, permissions: [{ name: "contents", level: READ }] })`,
        field: 'createWorkflowToken',
      },
    ],
    [
      'of a fine-grained one, left out',
      {
        mint: 'createFineGrainedToken(input: { note: "n", permissions: [{ name: "contents", level: READ }] })',
        field: 'createFineGrainedToken',
      },
    ],
  ])('of a child is at most that of its parent: %s', async (_name, way) => {
    const { token } = await classic(tokenScopeNames, inAnHour);
    expect((await child(token, way)).expiresAt).toBe(inAnHour.toISOString().replace('Z', '000Z'));
  });

  test('of a grandchild is that of its grandparent, even if only its row says otherwise', async () => {
    const { token } = await classic(tokenScopeNames, inAnHour);
    const one = await child((await child(token)).token);
    await sql`update host_credential set expires_at = null where id = ${one.id}`.execute(world.db);
    const answer = await call(gateway, 'GET', '/user', `Bearer ${one.token}`);
    expect(answer.headers.get('host-authentication-token-expiration')).toBe('2026-10-01 09:10:00 UTC');
  });
});

test('a chain of tokens is bounded', async () => {
  let { token } = await classic(['user']);
  const mint = { ...all, mint: 'createClassicToken(input: { note: "n", scopes: ["user"] })' };
  for (let depth = 1; depth < 16; depth++) token = (await child(token, mint)).token;
  const refused = await graphql(gateway, `mutation { ${mint.mint} { secret } }`, token);
  expect(refused.errors[0].extensions.code).toBe('RULE_BROKEN');
  expect(await statusAt(gateway, token)).toBe(200);
});

test('a single sign-on authorization ends with the token that gave it, over any number of steps', async () => {
  const [stolen, accomplice, last] = [
    await classic(tokenScopeNames),
    await insert({ kind: 'classic', accountId: wren, scopes: tokenScopeNames }),
    await insert({ kind: 'classic', accountId: wren, scopes: tokenScopeNames }),
  ];
  const vault = async (token: string) =>
    (await call(gateway, 'GET', '/repos/northgate/vault', `Bearer ${token}`)).status;
  const authorize = (by: { token: string }, id: number) => world.ask(authorizing(id), `Bearer ${by.token}`);
  const done = { data: { authorizeTokenForSso: { organization: { login: 'northgate' } } } };
  expect(await authorize(stolen, accomplice.id)).toEqual(done);
  expect(await authorize(accomplice, last.id)).toEqual(done);
  // In a cycle they would keep each other alive.
  expect(await authorize(last, accomplice.id)).toEqual(done);
  expect([await vault(accomplice.token), await vault(last.token)]).toEqual([200, 200]);
  await revoke(stolen.id);
  expect([await vault(accomplice.token), await vault(last.token)]).toEqual([403, 403]);
});

test('resetting a token revokes what was created with its old text', async () => {
  const pair = basic(demo.oauth_app.client_id, demo.oauth_app.client_secret);
  const authorize = {
    mint: `authorizeApp(input: { clientId: "${demo.oauth_app.client_id}", scopes: ["repo"] })`,
    field: 'authorizeApp',
  };
  const workflow = `createWorkflowToken(input: { ${ledger}, permissions: [{ name: "contents", level: READ }] })`;
  const leaked = await child((await classic(tokenScopeNames)).token, authorize);
  const below = await child(leaked.token, { mint: workflow, field: 'createWorkflowToken' });
  expect(await world.isKnown(`Bearer ${below.token}`)).toBe(true);
  const path = `/applications/${demo.oauth_app.client_id}/token`;
  expect((await call(gateway, 'PATCH', path, pair, { access_token: leaked.token })).status).toBe(200);
  expect(await world.isKnown(`Bearer ${below.token}`)).toBe(false);
});

test.each([
  'query { node(id: "ID") { ... on App { webhook { url } } } }',
  'mutation { updateAppWebhook(input: { appId: "ID", url: "https://x.example" }) { webhook { url } } }',
  'mutation { addAppKey(input: { appId: "ID" }) { privateKey } }',
])('control over an app requires a token that covers it: %s', async query => {
  const answer = async (scopes: string[]) => {
    const { token } = await classic(scopes);
    return (await graphql(gateway, query.replace('ID', encodeGlobalId('App', Number(demo.app.id))), token)).errors?.[0]
      ?.extensions.code;
  };
  expect(await answer(['user', 'admin:org'])).toBe('FORBIDDEN');
  expect(await answer(['user', 'admin:org', 'repo'])).toBe('FORBIDDEN');
  expect(await answer(['user', 'admin:org', 'repo', 'workflow'])).toBeUndefined();
});

test('a child is rejected where its parent is', async () => {
  const parent = await insert({ kind: 'classic', accountId: wren, scopes: tokenScopeNames });
  const { id } = await child(parent.token);
  const refused = await graphql(gateway, authorizing(id), demo.users.wren.classic_token);
  expect(refused.errors[0].extensions.code).toBe('FORBIDDEN');
});

test('permissions that an app no longer requests are lost by its installations', async () => {
  const app = await world.operatorsApp({ contents: 'write', administration: 'read' });
  const whole = `Bearer ${(await classic(tokenScopeNames)).token}`;
  await world.keyFor(app.id);
  const token = await world.installationToken(app.id, await world.install(app.slug, whole));
  const names = ['reads its contents', 'writes its contents'];
  expect(await world.worth(token ?? '', names)).toEqual(names);
  await sql`update app set permissions = '{"contents": "read"}' where id = ${app.id}`.execute(world.db);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 5_000);
  expect(await world.worth(token ?? '', names)).toEqual(['reads its contents']);
  const { rows } = await sql`select permissions from installation where app_id = ${app.id}`.execute(world.db);
  expect(rows).toEqual([{ permissions: { contents: 'read' } }]);
});

test('reinstalling an app or resetting a secret replaces its parent credential', async () => {
  const [gone, next] = [await classic(tokenScopeNames), await classic(tokenScopeNames)];
  const app = await world.createApp(`Bearer ${gone.token}`, { contents: 'read' });
  if (!app) throw new Error('The app was not made.');
  await world.keyFor(app.id);
  const id = await world.install(app.slug, `Bearer ${gone.token}`);
  await revoke(gone.id);
  expect(await world.installationToken(app.id, id)).toBeUndefined();
  expect((await call(gateway, 'GET', '/users/wren', app.pair)).status).toBe(401);
  expect(await world.install(app.slug, `Bearer ${next.token}`)).toBe(id);
  expect(await world.isKnown((await world.installationToken(app.id, id)) ?? '')).toBe(true);
  const [clientId = ''] = Buffer.from(app.pair.replace('Basic ', ''), 'base64').toString().split(':');
  const reset = `resetClientSecret(input: { clientId: "${clientId}" }) { clientSecret }`;
  const secret = await made(reset, `Bearer ${next.token}`, 'resetClientSecret.clientSecret');
  expect((await call(gateway, 'GET', '/users/wren', basic(clientId, String(secret)))).status).toBe(200);
  const stranger = await graphql(gateway, `mutation { ${reset} }`, demo.users.juniper.classic_token);
  expect(stranger.errors[0].extensions.code).toBe('NOT_FOUND');
});

describe('the list of tokens', () => {
  type Listed = { databaseId: number; kind: string; parentId: number | null; installationId: number | null };
  type Node = Pick<Listed, 'databaseId' | 'kind'> & Record<'parent' | 'installation', { databaseId: number } | null>;
  const listed = async (token: string): Promise<Listed[]> => {
    const query =
      '{ viewer { tokens(first: 100) { nodes { databaseId kind parent { databaseId } installation { databaseId } } } } }';
    const nodes: Node[] = (await graphql(gateway, query, token)).data.viewer.tokens.nodes;
    return nodes.map(({ databaseId, kind, parent, installation }) => ({
      databaseId,
      kind,
      parentId: parent?.databaseId ?? null,
      installationId: installation?.databaseId ?? null,
    }));
  };

  test('shows every kind with its parent, and each can be revoked', async () => {
    const { id, token } = await classic(tokenScopeNames);
    const app = await world.operatorsApp({ contents: 'read' });
    await world.keyFor(app.id);
    const installationId = await world.install(app.slug, `Bearer ${token}`);
    const ofInstallation = (await world.installationToken(app.id, installationId)) ?? '';
    const ways = {
      CLASSIC: all,
      FINE_GRAINED: {
        mint: `createFineGrainedToken(input: { note: "n", resourceOwnerId: "${world.ids.lab}", permissions: ${literal(everyPermission)} })`,
        field: 'createFineGrainedToken',
      },
      WORKFLOW: {
        mint: `createWorkflowToken(input: { ${ledger}, permissions: [] })`,
        field: 'createWorkflowToken',
      },
      OAUTH: {
        mint: `authorizeApp(input: { clientId: "${demo.oauth_app.client_id}", scopes: ["user"] })`,
        field: 'authorizeApp',
      },
      USER_TO_SERVER: { mint: `authorizeApp(input: { clientId: "${demo.app.client_id}" })`, field: 'authorizeApp' },
    };
    const tokens: string[] = [ofInstallation];
    for (const [kind, way] of Object.entries(ways)) {
      const one = await child(token, way);
      tokens.push(`Bearer ${one.token}`);
      expect(await listed(token)).toContainEqual({ databaseId: one.id, kind, parentId: id, installationId: null });
    }
    const made = (await listed(token)).filter(one => one.installationId === installationId);
    expect(made.map(({ kind }) => kind)).toEqual(['INSTALLATION']);
    for (const one of tokens) expect(await world.isKnown(one)).toBe(true);
    const mine = (await listed(token)).filter(one => one.parentId === id || one.installationId === installationId);
    expect(mine).toHaveLength(6);
    for (const one of mine) expect(await revoke(one.databaseId)).toEqual(revoked(one.databaseId));
    for (const one of tokens) expect(await world.isKnown(one)).toBe(false);
    const left = (await listed(token)).map(one => one.databaseId);
    expect(mine.filter(one => left.includes(one.databaseId))).toEqual([]);
  });

  test("has the caller's own, and those of organizations for administrators with a token that covers administration", async () => {
    const { id } = await insert({ kind: 'workflow', permissions: {}, repositories: [world.ledgerId] });
    const has = async (token: string) => (await listed(token)).some(one => one.databaseId === id);
    expect(await has((await classic(['user', 'admin:org'])).token)).toBe(true);
    expect(await has((await classic(['user', 'repo'])).token)).toBe(false);
    expect(await has(demo.users.juniper.classic_token)).toBe(false);
    for (const token of [demo.users.juniper.classic_token, (await classic(['user', 'repo'])).token]) {
      expect((await revoke(id, token)).errors[0].extensions.code).toBe('NOT_FOUND');
    }
    expect(await revoke(id)).toEqual(revoked(id));
  });

  test('omits children of revoked parents', async () => {
    const { id, token } = await classic(tokenScopeNames);
    const one = await child(token);
    await revoke(id);
    expect((await listed(demo.users.wren.classic_token)).map(({ databaseId }) => databaseId)).not.toContain(one.id);
  });
});
