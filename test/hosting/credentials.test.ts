import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { buildToken, mintToken } from '../../src/auth/hosting-token.ts';
import { inTransaction } from '../../src/db/database.ts';
import { deleteDeadTokens } from '../../src/hosting/credentials/credentials.tasks.ts';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, basic, call, demoOf, graphql } from '../harness/hosting.ts';

const now = '2026-10-01T08:10:00Z';
const gateway = await testGateway({ data: 'demo', now });
const demo = await demoOf(gateway);
const { wren, juniper, okello } = demo.users;
const seconds = Math.floor(Date.parse(now) / 1000);
const get = (path: string, authorization?: string) => call(gateway, 'GET', path, authorization);

const bad = { status: 401, json: { message: 'Bad credentials', status: '401' } };
const undecodable = { status: 401, json: { message: 'A JSON web token could not be decoded', status: '401' } };

describe('schemes', () => {
  test.each([
    ['Bearer', 'Bearer T', 200],
    ['token', 'token T', 200],
    ['in capitals', 'BEARER T', 200],
    ['with spaces', '  Bearer    T  ', 200],
    ['one that nobody knows', 'Digest T', 403],
    ['none', 'T', 403],
  ])('%s', async (_name, header, status) => {
    expect((await get('/user', header.replace('T', wren.classic_token))).status).toBe(status);
  });

  test('an unknown scheme counts as no credential', async () => {
    expect((await get('/users/wren', 'Digest username="wren"')).status).toBe(200);
    expect((await get('/user', 'Digest username="wren"')).json.message).toBe('Requires authentication');
  });

  test.each([
    ['a name and a token', basic('wren', wren.classic_token)],
    ['a token and x-oauth-basic', basic(wren.classic_token, 'x-oauth-basic')],
    ['a token alone', basic(wren.classic_token, '')],
  ])('Basic with %s is a token', async (_name, header) => {
    expect((await get('/user', header)).json.login).toBe('wren');
  });

  test.each([
    ['a name and a password', basic('wren', 'correct horse')],
    ['no colon', `Basic ${Buffer.from('wren').toString('base64')}`],
    ['no base64', 'Basic ###'],
    ['nothing', 'Basic'],
    ['another secret', basic(demo.oauth_app.client_id, 'x'.repeat(40))],
    ['another client id', basic(demo.app.client_id, demo.oauth_app.client_secret)],
  ])('Basic with %s is rejected', async (_name, header) => {
    expect(await get('/users/wren', header)).toMatchObject(bad);
  });
});

describe('invalid tokens', () => {
  const forged = buildToken('classic', 'a'.repeat(36)).text;
  test.each([
    ['empty', 'Bearer'],
    ['of no kind', 'Bearer abc'],
    ['well formed, and nobody’s', `Bearer ${forged}`],
    ['with another checksum', `Bearer ${forged.slice(0, -1)}${forged.endsWith('0') ? '1' : '0'}`],
    ['with another prefix', `Bearer ${wren.classic_token.replace('hostp', 'hosto')}`],
    ['two of them', `Bearer ${wren.classic_token} ${wren.classic_token}`],
    ['with a comma behind it', `Bearer ${wren.classic_token},`],
    ['very long', `Bearer ${'a'.repeat(7000)}`],
    ['with letters beyond ASCII', `Bearer ${wren.classic_token}\u00e9`],
    ['in other case', `Bearer ${wren.classic_token.toLowerCase()}`],
  ])('%s', async (_name, header) => {
    for (const path of ['/user', '/users/wren']) {
      const answer = await get(path, header);
      expect(answer).toMatchObject(bad);
      for (const name of ['x-oauth-scopes', 'x-accepted-host-permissions']) expect(answer.headers.get(name)).toBeNull();
    }
  });

  test('one with a wrong checksum executes no statement', async () => {
    const statements = await gateway.statements(() => get('/user', `Bearer ${forged.slice(0, -6)}000000`));
    expect(statements).toEqual([]);
  });

  test('a token of the health product', async () => {
    const { json } = await call(gateway, 'POST', '/api/v1/auth/guest/');
    expect((await get('/users/wren', `Bearer ${json.access}`)).json).toMatchObject(undecodable.json);
    expect((await get('/users/wren', `token ${json.access}`)).json).toMatchObject(bad.json);
    // It opens nothing of this product in the graph, nor does a hosting token open anything of the other.
    expect(await graphql(gateway, '{ viewer { login } }', json.access)).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED', reason: 'wrong_product' } }],
    });
    expect(await graphql(gateway, '{ healthViewer { databaseId } }', json.access)).toMatchObject({
      data: { healthViewer: { databaseId: expect.any(Number) } },
    });
    expect(await graphql(gateway, '{ healthViewer { id } }', wren.classic_token)).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED', reason: 'wrong_product' } }],
    });
    expect(await graphql(gateway, '{ viewer { login } }', wren.classic_token)).toEqual({
      data: { viewer: { login: 'wren' } },
    });
    expect((await call(gateway, 'GET', '/api/v1/auth/me/', `Bearer ${wren.classic_token}`)).status).toBe(401);
  });

  test('an app token at the health product', async () => {
    const jwt = await appJwt(gateway, demo);
    expect((await call(gateway, 'GET', '/api/v1/auth/me/', `Bearer ${jwt}`)).status).toBe(401);
    expect(await graphql(gateway, '{ viewerApp { slug } }', jwt)).toEqual({
      data: { viewerApp: { slug: 'harbor-pilot' } },
    });
  });
});

describe('credential headers', () => {
  test("list the token's and the accepted scopes for a classic token", async () => {
    const { headers } = await get('/repos/harbor-lab/ledger', `token ${juniper.classic_token}`);
    expect(headers.get('x-oauth-scopes')).toBe('repo, workflow, read:org, admin:signing_key, notifications, user');
    expect(headers.get('x-accepted-oauth-scopes')).toBe('repo');
    expect((await get('/users/wren', `token ${okello.classic_token}`)).headers.get('x-oauth-scopes')).toBe('');
  });

  test('list accepted permissions for other tokens', async () => {
    for (const token of [
      juniper.fine_grained_token,
      demo.tokens.installation,
      demo.tokens.workflow,
      demo.tokens.user_to_server,
    ]) {
      const { headers } = await get('/repos/harbor-lab/compass', `token ${token}`);
      expect(headers.get('x-oauth-scopes')).toBeNull();
      expect(headers.get('x-accepted-oauth-scopes')).toBeNull();
      expect(headers.get('x-accepted-host-permissions')).toBe('metadata=read');
    }
  });

  test('list accepted permissions of every operation, and say where none is needed', async () => {
    const jwt = `Bearer ${await appJwt(gateway, demo)}`;
    for (const [path, header, accepted] of [
      ['/events', undefined, 'allows_permissionless_access=true'],
      ['/users/wren/events/public', undefined, expect.stringMatching(/=/)],
      ['/repos/harbor-lab/compass/events', undefined, 'metadata=read'],
      ['/users/wren/events', `token ${wren.classic_token}`, 'events=read'],
      ['/app/hook/config', jwt, 'allows_permissionless_access=true'],
      ['/app', jwt, 'allows_permissionless_access=true'],
      ['/emojis', undefined, 'allows_permissionless_access=true'],
    ] as const) {
      const { status, headers } = await get(path, header);
      expect([path, status, headers.get('x-accepted-host-permissions')]).toEqual([path, 200, accepted]);
      if (header === jwt) expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=60');
    }
  });

  test('have the expiry of a token', async () => {
    const { headers } = await get('/repos/harbor-lab/compass', `token ${demo.tokens.installation}`);
    expect(headers.get('host-authentication-token-expiration')).toBe('2026-10-01 09:00:00 UTC');
    expect(
      (await get('/user', `token ${wren.classic_token}`)).headers.get('host-authentication-token-expiration'),
    ).toBeNull();
  });
});

describe("an app's own token", () => {
  const app = (jwt: string, path = '/app') => get(path, `Bearer ${jwt}`);

  test('opens what is for apps', async () => {
    const answer = await app(await appJwt(gateway, demo));
    expect(answer).toMatchObject({
      status: 200,
      json: {
        id: demo.app.id,
        slug: 'harbor-pilot',
        client_id: demo.app.client_id,
        owner: { login: 'harbor-lab' },
        installations_count: 1,
        permissions: { contents: 'write' },
      },
    });
    expect((await app(await appJwt(gateway, demo, { claims: { iss: demo.app.client_id } }))).status).toBe(200);
    expect((await app(await appJwt(gateway, demo, { claims: { iss: demo.app.id } }))).status).toBe(200);
    expect((await app(await appJwt(gateway, demo), '/repos/harbor-lab/compass')).status).toBe(200);
    expect((await app(await appJwt(gateway, demo), '/repos/harbor-lab/ledger')).status).toBe(404);
    expect((await app(await appJwt(gateway, demo), '/user')).json.message).toBe(
      'Resource not accessible by integration',
    );
  });

  test('requires the Bearer scheme, and other credentials do not act as an app', async () => {
    expect(await get('/app', `token ${await appJwt(gateway, demo)}`)).toMatchObject(bad);
    for (const token of [
      wren.classic_token,
      wren.fine_grained_token,
      demo.tokens.installation,
      demo.tokens.user_to_server,
    ]) {
      expect(await get('/app', `Bearer ${token}`)).toMatchObject(undecodable);
    }
    expect(await get('/app')).toMatchObject(undecodable);
    expect(await get('/app', basic(demo.app.client_id, demo.app.client_secret))).toMatchObject(undecodable);
  });

  test.each([
    ['issued 59 s ahead', { iat: 59 }, 200, ''],
    [
      'issued 61 s ahead',
      { iat: 61 },
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    ],
    [
      'issued at a fraction',
      { claims: { iat: seconds - 1.5 } },
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    ],
    [
      'issued at a text',
      { claims: { iat: String(seconds) } },
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    ],
    [
      'issued at no time',
      { claims: { iat: undefined } },
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    ],
    ['expired 59 s ago', { iat: -700, exp: -59 }, 200, ''],
    [
      'expired 61 s ago',
      { iat: -700, exp: -61 },
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    ],
    [
      'that never expires',
      { claims: { exp: undefined } },
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    ],
    [
      'that expires at a text',
      { claims: { exp: 'soon' } },
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    ],
    ['for ten minutes and 59 s', { exp: 659 }, 200, ''],
    ['for ten minutes and 61 s', { exp: 661 }, 401, "'Expiration time' claim ('exp') is too far in the future"],
    ['of an unknown app', { claims: { iss: '987654321' } }, 404, 'Integration not found'],
    ['of an unknown client', { claims: { iss: 'Iv0000' } }, 404, 'Integration not found'],
    ['of nobody', { claims: { iss: undefined } }, 404, 'Integration not found'],
    ['of a number that is none', { claims: { iss: 1.5 } }, 404, 'Integration not found'],
    ['of an object', { claims: { iss: { id: 1 } } }, 404, 'Integration not found'],
    ['of a number beyond all', { claims: { iss: '9'.repeat(15) } }, 404, 'Integration not found'],
  ])('%s', async (_name, options, status, message) => {
    const answer = await app(await appJwt(gateway, demo, options as Parameters<typeof appJwt>[2]));
    expect(answer.status).toBe(status);
    if (message) expect(answer.json).toMatchObject({ message, status: String(status) });
  });

  const publicPem = String(createPublicKey(demo.app.private_key).export({ type: 'spki', format: 'pem' }));
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const claims = { iat: seconds - 30, exp: seconds + 300, iss: String(demo.app.id) };
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const hmac = (header: object, key: string | Buffer) => {
    const body = `${encode(header)}.${encode(claims)}`;
    return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
  };
  const by = (header: object, key = stranger.privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(key);

  test.each<[string, () => Promise<string> | string]>([
    ['signed by somebody else', () => by({})],
    ['with a key of its own in the header', () => by({ jwk: stranger.publicKey.export({ format: 'jwk' }) as never })],
    ['with the address of a key', () => by({ jku: 'https://evil.example/keys', x5u: 'https://evil.example/chain' })],
    ['with a kid that is a path', () => by({ kid: '../../../../dev/null' })],
    ['with a kid that is SQL', () => by({ kid: "1' union select 'x' --" })],
    [
      'with an extension that must be understood',
      () => appJwt(gateway, demo, { header: { crit: ['b64'], b64: true } }),
    ],
    ['HS256 with the public key as its secret', () => hmac({ alg: 'HS256' }, publicPem)],
    ['that says RS256 and is HMAC', () => hmac({ alg: 'RS256' }, publicPem)],
    ['HS256 with an empty secret', () => hmac({ alg: 'HS256' }, Buffer.alloc(1))],
    ['without an algorithm', () => `${encode({ alg: 'none' })}.${encode(claims)}.`],
    ['without an algorithm, in other letters', () => `${encode({ alg: 'nOnE' })}.${encode(claims)}.`],
    [
      'RS512 by the right key',
      () => new SignJWT(claims).setProtectedHeader({ alg: 'RS512' }).sign(keyOf(demo.app.private_key)),
    ],
    [
      'PS256 by the right key',
      () => new SignJWT(claims).setProtectedHeader({ alg: 'PS256' }).sign(keyOf(demo.app.private_key)),
    ],
    ['with the signature cut off', async () => (await appJwt(gateway, demo)).replace(/[^.]*$/, '')],
    [
      'with other claims behind the signature',
      async () => {
        const [head, , signature] = (await appJwt(gateway, demo)).split('.');
        return `${head}.${encode({ ...claims, exp: seconds + 301 })}.${signature}`;
      },
    ],
    ['of a list', () => `${encode({ alg: 'RS256' })}.${encode([1])}.x`],
    ['of nothing', () => '..'],
    ['of text that is no JSON', () => 'abc.def.ghi'],
    ['of 7,000 letters', () => `${encode({ alg: 'RS256' })}.${'a'.repeat(6000)}.x`],
  ])('%s is rejected', async (_name, make) => {
    const answer = await app(await make());
    expect(answer).toMatchObject(undecodable);
  });

  test('costs no statement within five seconds after verification', async () => {
    const jwt = await appJwt(gateway, demo, { iat: -31 });
    await app(jwt, '/users/okello');
    expect(await gateway.statements(() => app(jwt, '/users/okello'))).toHaveLength(1);
    gateway.clock.now = new Date(Date.parse(now) + 5_000);
    expect(await gateway.statements(() => app(jwt, '/users/okello'))).toHaveLength(2);
    gateway.clock.now = new Date(now);
  });
});

function keyOf(pem: string) {
  return createPrivateKey(pem);
}

test('an expired or revoked token is answered with 401', async () => {
  const statement = sql<{ id: number }>`select id from host_credential where kind = 'installation'`;
  const before = await get('/repos/harbor-lab/ledger', `Bearer ${demo.tokens.installation}`);
  expect(before.status).toBe(200);
  gateway.clock.now = new Date('2026-10-01T09:00:00Z');
  expect(await get('/repos/harbor-lab/ledger', `Bearer ${demo.tokens.installation}`)).toMatchObject(bad);
  gateway.clock.now = new Date(now);
  const { rows } = await statement.execute(gateway.database.sql);
  expect(rows).toHaveLength(1);
});

test('invalid tokens are deleted after a month, valid ones never', async () => {
  const count = async () => (await sql`select 1 from host_credential`.execute(gateway.database.sql)).rows.length;
  const before = await count();
  const forget = (date: string) => inTransaction(gateway.database, db => deleteDeadTokens(db, new Date(date)));
  expect(await forget('2026-10-20T00:00:00Z')).toBe(0);
  // The installation token, and the workflow token a day later.
  expect(await forget('2026-10-31T10:00:00Z')).toBe(1);
  expect(await forget('2027-10-31T10:00:00Z')).toBe(1);
  expect(await count()).toBe(before - 2);
});

test('only hashes of tokens are stored, and no secret is in tables or logs', async () => {
  const { rows } =
    await sql`select c.*, a.client_secret_hash from host_credential c left join app a on a.id = c.app_id`.execute(
      gateway.database.sql,
    );
  const text = JSON.stringify(rows);
  for (const token of [
    wren.classic_token,
    juniper.fine_grained_token,
    ...Object.values(demo.tokens),
    demo.app.client_secret,
  ]) {
    expect(text).not.toContain(token);
    expect(gateway.lines.join('')).not.toContain(token);
  }
  expect(mintToken('classic').text).toHaveLength(48);
});
