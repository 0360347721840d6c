import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import * as oauth from 'oauth4webapi';
import { hashToken, mintToken } from '../../../src/auth/hosting-token.ts';
import { Browser } from '../../harness/browser.ts';
import { commitOnceAwaited } from '../../harness/commit-once-awaited.ts';
import { testGateway } from '../../harness/gateway.ts';
import { basic, call, demoOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', settings: { RATE_LIMIT_FACTOR: '100000' } });
const demo = await demoOf(gateway);
const db = gateway.database.sql;
const wren = demo.users.wren.classic_token;
const callback = 'https://client.example/callback';
const { client_id: oauthId, client_secret: oauthSecret } = demo.oauth_app;
const { client_id: appId, client_secret: appSecret } = demo.app;
const insecure = { [oauth.allowInsecureRequests]: true } as const;

/** The server as its clients know it. */
const server: oauth.AuthorizationServer = {
  issuer: gateway.url,
  authorization_endpoint: `${gateway.url}/login/oauth/authorize`,
  token_endpoint: `${gateway.url}/login/oauth/access_token`,
  device_authorization_endpoint: `${gateway.url}/login/device/code`,
};

beforeEach(async () => {
  await sql`update oauth_app set callback_url = ${callback} where client_id = ${oauthId}`.execute(db);
  await sql`update app set callback_url = ${callback} where client_id = ${appId}`.execute(db);
});

const createdPublic = await graphql(
  gateway,
  `mutation { createOauthApp(input: { name: "On a device", url: "https://client.example", callbackUrl: "${callback}", isPublic: true }) {
    clientId clientSecret } }`,
  wren,
);
const publicApp = createdPublic.data.createOauthApp;
const publicId: string = publicApp.clientId;

/** A browser of a user who authorizes apps. */
class UserBrowser extends Browser {
  async signedIn(token = wren) {
    expect((await this.signIn(token, '/login/device')).status).toBe(303);
    return this;
  }

  /** Opens the page of an authorization, and presses its button. Returns the address that the user is sent to. */
  async authorize(query: Record<string, string>, action = 'authorize'): Promise<URL> {
    const url = `/login/oauth/authorize?${new URLSearchParams(query)}`;
    const page = await this.open(url);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Authorize')]);
    const answer = await this.open(url, { action, form_token: page.formToken });
    expect(answer.status).toBe(302);
    return new URL(answer.location);
  }
}

const browser = await new UserBrowser(gateway).signedIn();

async function token(parameters: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(server.token_endpoint ?? '', {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body: new URLSearchParams(parameters),
  });
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

const ofOauthApp = { client_id: oauthId, client_secret: oauthSecret };
const ofApp = { client_id: appId, client_secret: appSecret };
const codeOf = async (query: Record<string, string>): Promise<string> =>
  (await browser.authorize(query)).searchParams.get('code') ?? '';
const userOf = (secret: string) => call(gateway, 'GET', '/user', `Bearer ${secret}`);

describe('the web flow', () => {
  test.each([
    ['with a secret', oauthId, () => oauth.ClientSecretPost(oauthSecret)],
    ['with a secret by Basic', oauthId, () => oauth.ClientSecretBasic(oauthSecret)],
    ['of a public client', publicId, () => oauth.None()],
  ])('%s, by a library', async (_, clientId, authentication) => {
    const client: oauth.Client = { client_id: clientId };
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const target = await browser.authorize({
      client_id: clientId,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'repo user',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    expect(target.href.split('?')[0]).toBe(callback);
    const parameters = oauth.validateAuthResponse(server, client, target, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication(),
      parameters,
      callback,
      verifier,
      insecure,
    );
    const result = await oauth.processAuthorizationCodeResponse(server, client, response);
    expect(result).toMatchObject({ token_type: 'bearer', scope: 'repo,user' });
    expect((await userOf(result.access_token)).json.login).toBe('wren');
  });

  test('a client that asks for no JSON gets a form', async () => {
    const code = await codeOf({ client_id: oauthId });
    const response = await fetch(server.token_endpoint ?? '', {
      method: 'POST',
      body: new URLSearchParams({ ...ofOauthApp, code }),
    });
    expect(response.headers.get('content-type')).toContain('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(await response.text()))).toEqual({
      access_token: expect.stringMatching(/^hosto_/),
      scope: '',
      token_type: 'bearer',
    });
  });

  test('a code is good once; its second use revokes the token', async () => {
    const code = await codeOf({ client_id: oauthId, scope: 'repo' });
    const [one, other] = await Promise.all([token({ ...ofOauthApp, code }), token({ ...ofOauthApp, code })]);
    const issued = one.access_token ?? other.access_token;
    expect([one.error, other.error].filter(error => error === 'bad_verification_code')).toHaveLength(1);
    expect((await userOf(issued)).status).toBe(401);
  });

  test('what does not fit the request gets no token, and uses the code', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const challenged = {
      client_id: oauthId,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const refused = async (query: Record<string, string>, sent: Record<string, string>, error: string) => {
      const code = await codeOf(query);
      expect(await token({ code, ...sent })).toEqual({ error, error_description: expect.any(String) });
      return code;
    };
    await refused(challenged, { ...ofOauthApp, code_verifier: 'x'.repeat(43) }, 'bad_verification_code');
    await refused(challenged, ofOauthApp, 'bad_verification_code');
    await refused({ client_id: oauthId }, { ...ofOauthApp, code_verifier: verifier }, 'bad_verification_code');
    await refused({ client_id: oauthId }, { ...ofOauthApp, redirect_uri: `${callback}/x` }, 'redirect_uri_mismatch');
    await refused({ client_id: oauthId }, { client_id: oauthId }, 'incorrect_client_credentials');
    await refused({ client_id: oauthId }, { ...ofOauthApp, client_secret: 'wrong' }, 'incorrect_client_credentials');
    await refused({ client_id: oauthId }, ofApp, 'bad_verification_code');
    const ofPublic = { client_id: publicId };
    const code = await refused(
      { ...challenged, ...ofPublic },
      { ...ofPublic, code_verifier: 'y'.repeat(43) },
      'bad_verification_code',
    );
    expect((await token({ ...ofPublic, code, code_verifier: verifier })).error).toBe('bad_verification_code');
    const late = await codeOf({ client_id: oauthId });
    await sql`update oauth_grant set expires_at = created_at where used_at is null`.execute(db);
    expect((await token({ ...ofOauthApp, code: late })).error).toBe('bad_verification_code');
    expect((await token({ ...ofOauthApp, grant_type: 'password' })).error).toBe('unsupported_grant_type');
  });

  test('codes and refresh tokens are stored as hashes', async () => {
    const code = await codeOf({ client_id: appId });
    const { refresh_token: refresh } = await token({ ...ofApp, code });
    const rows =
      await sql`select to_jsonb(g) || to_jsonb(t) as row from oauth_grant g left join oauth_refresh_token t on t.grant_id = g.id`.execute(
        db,
      );
    expect(JSON.stringify(rows.rows)).not.toContain(code);
    expect(JSON.stringify(rows.rows)).not.toContain(refresh);
  });
});

describe('PKCE and secrets', () => {
  const verifier = randomBytes(32).toString('base64url');
  const pkce = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };

  test.each([
    ['an OAuth app', ofOauthApp],
    ['an app', ofApp],
  ])(
    '%s that has a secret gets nothing without it, and the code stays good for the one who has it',
    async (_, pair) => {
      const code = await codeOf({ client_id: pair.client_id, ...pkce });
      for (const sent of [{}, { client_secret: '' }, { client_secret: 'wrong' }])
        expect((await token({ client_id: pair.client_id, code, code_verifier: verifier, ...sent })).error).toBe(
          'incorrect_client_credentials',
        );
      expect((await token({ ...pair, code })).error).toBe('bad_verification_code');
      const again = await codeOf({ client_id: pair.client_id, ...pkce });
      const issued = await token({ ...pair, code: again, code_verifier: verifier });
      expect((await userOf(issued.access_token)).json.login).toBe('wren');
      if (!issued.refresh_token) return;
      const refresh = { client_id: pair.client_id, grant_type: 'refresh_token', refresh_token: issued.refresh_token };
      expect((await token(refresh)).error).toBe('incorrect_client_credentials');
      expect((await token({ ...refresh, ...pair })).access_token).toBeDefined();
    },
  );

  test('a public client has no secret, takes none, and begins no flow without a challenge', async () => {
    expect(publicApp).toEqual({ clientId: publicId, clientSecret: null });
    const code = await codeOf({ client_id: publicId, ...pkce });
    for (const secret of ['null', 'undefined', oauthSecret])
      expect((await token({ client_id: publicId, code, code_verifier: verifier, client_secret: secret })).error).toBe(
        'incorrect_client_credentials',
      );
    expect((await token({ client_id: publicId, code, code_verifier: verifier })).access_token).toBeDefined();
    const refused = await browser.open(`/login/oauth/authorize?client_id=${publicId}&state=s`);
    const { searchParams } = new URL(refused.location);
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['invalid_request', 's']);
    const reset = await graphql(
      gateway,
      'mutation($clientId: String!) { resetClientSecret(input: { clientId: $clientId }) { clientSecret } }',
      wren,
      { clientId: publicId },
    );
    expect([reset.data?.resetClientSecret, reset.errors[0].extensions.code]).toEqual([null, 'RULE_BROKEN']);
    // Endpoints for clients with a secret are closed to it.
    expect((await call(gateway, 'DELETE', `/applications/${publicId}/token`, basic(publicId, ''))).status).not.toBe(
      204,
    );
  });
});

describe('where the user returns to', () => {
  const shown = async (redirectUri: string) =>
    (
      await browser.open(
        `/login/oauth/authorize?${new URLSearchParams({ client_id: oauthId, redirect_uri: redirectUri })}`,
      )
    ).status;

  test.each([
    [callback, callback, 200],
    [callback, `${callback}/below`, 404],
    [callback, `${callback}?x=1`, 404],
    [callback, 'https://client.example.evil.example/callback', 404],
    [callback, 'http://client.example/callback', 404],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback', 200],
    ['http://127.0.0.1:3000/callback', 'http://127.0.0.1:51004/callback', 200],
    ['http://[::1]/callback', 'http://[::1]:51004/callback', 200],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/other', 404],
    ['http://127.0.0.1/callback', 'http://127.0.0.2:51004/callback', 404],
    ['http://127.0.0.1/callback', 'http://x@127.0.0.1:51004/callback', 404],
    ['https://127.0.0.1/callback', 'https://127.0.0.1:51004/callback', 404],
  ])('registered %s, requested %s: %d', async (registered, requested, status) => {
    await sql`update oauth_app set callback_url = ${registered} where client_id = ${oauthId}`.execute(db);
    expect(await shown(requested)).toBe(status);
  });

  test('an app without a callback URL has no web flow, and an unknown one no page', async () => {
    await sql`update app set callback_url = null where client_id = ${appId}`.execute(db);
    expect((await browser.open(`/login/oauth/authorize?client_id=${appId}`)).status).toBe(404);
    expect((await browser.open('/login/oauth/authorize?client_id=nobody')).status).toBe(404);
    expect((await browser.open(`/login/oauth/authorize?client_id=${oauthId}&client_id=${appId}`)).status).toBe(400);
  });

  test('errors of the request go to the app, with its state', async () => {
    const errorOf = async (query: Record<string, string>) => {
      const answer = await browser.open(
        `/login/oauth/authorize?${new URLSearchParams({ client_id: oauthId, state: 's', ...query })}`,
      );
      expect(answer.status).toBe(302);
      const { searchParams } = new URL(answer.location);
      return [searchParams.get('error'), searchParams.get('state')];
    };
    expect(await errorOf({ scope: 'nothing' })).toEqual(['invalid_scope', 's']);
    expect(await errorOf({ response_type: 'token' })).toEqual(['unsupported_response_type', 's']);
    expect(await errorOf({ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' })).toEqual([
      'invalid_request',
      's',
    ]);
    const question = await browser.open(`/login/oauth/authorize?client_id=${oauthId}&state=a?b&scope=nothing`);
    expect(new URL(question.location).searchParams.get('state')).toBe('a?b');
    const denied = await browser.authorize({ client_id: oauthId, state: 's' }, 'deny');
    expect([denied.searchParams.get('error'), denied.searchParams.get('code')]).toEqual(['access_denied', null]);
  });
});

describe('the browser', () => {
  const url = `/login/oauth/authorize?client_id=${oauthId}&scope=repo`;

  test('who is not signed in decides nothing', async () => {
    const guest = new UserBrowser(gateway);
    const page = await guest.open(url);
    expect(page.text).toContain('Sign in');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect((await guest.open(url, { action: 'authorize' })).text).toContain('Sign in');
    const refused = await guest.signIn('hostp_nonsense', url);
    expect([refused.status, guest.cookie.includes('portico_session=')]).toEqual([422, false]);
    // Linh's token has the scope user, and no scope repo to grant.
    await guest.signedIn(demo.users.linh.classic_token);
    const { formToken } = await guest.open(url);
    expect((await guest.open(url, { action: 'authorize', form_token: formToken })).status).toBe(403);
  });

  test('a form of another site or another session decides nothing', async () => {
    const { formToken } = await browser.open(url);
    const refused = async (form: Record<string, string>, headers: Record<string, string> = {}) =>
      expect((await browser.open(url, { action: 'authorize', ...form }, headers)).status).toBe(403);
    await refused({});
    await refused({ form_token: 'x' });
    await refused({ form_token: formToken }, { origin: 'https://evil.example' });
    await refused({ form_token: formToken }, { origin: 'null' });
    const other = await new UserBrowser(gateway).signedIn();
    await refused({ form_token: (await other.open(url)).formToken });
  });

  test('the cookie is for the server alone, and ends with the token and by signing out', async () => {
    const own = new UserBrowser(gateway);
    const answer = await own.signIn(demo.users.juniper.classic_token, '/login/device');
    expect(answer.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax$/);
    expect(own.cookie).not.toContain(demo.users.juniper.classic_token);
    expect((await own.open('/login/device')).text).toContain('juniper');
    // No API takes it.
    expect((await fetch(`${gateway.url}/user`, { headers: { cookie: own.cookie } })).status).toBe(403);
    const { formToken } = await own.open('/login/device');
    await own.open('/login/device', { action: 'sign-out', form_token: formToken });
    expect((await own.open('/login/device')).text).toContain('Sign in');
  });
});

describe('tokens of apps', () => {
  const issue = async () => token({ ...ofApp, code: await codeOf({ client_id: appId }) });

  test('expire, and are refreshed by a library', async () => {
    const first = await issue();
    expect(first).toEqual({
      access_token: expect.stringMatching(/^hostu_/),
      expires_in: 28_800,
      refresh_token: expect.stringMatching(/^hostr_/),
      refresh_token_expires_in: 15_897_600,
      scope: '',
      token_type: 'bearer',
    });
    const client: oauth.Client = { client_id: appId };
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.ClientSecretPost(appSecret),
      first.refresh_token,
      insecure,
    );
    const second = await oauth.processRefreshTokenResponse(server, client, response);
    expect((await userOf(second.access_token)).json.login).toBe('wren');
    expect((await userOf(first.access_token)).status).toBe(401);
  });

  test('the second use of a refresh token revokes the family', async () => {
    const first = await issue();
    const again = { ...ofApp, grant_type: 'refresh_token', refresh_token: first.refresh_token };
    const second = await token(again);
    expect((await token(again)).error).toBe('bad_refresh_token');
    expect((await userOf(second.access_token)).status).toBe(401);
    expect((await token({ ...again, refresh_token: second.refresh_token })).error).toBe('bad_refresh_token');
  });

  test('of two refreshes at once, at most one gives tokens, and none that last', async () => {
    const first = await issue();
    const again = { ...ofApp, grant_type: 'refresh_token', refresh_token: first.refresh_token };
    const both = await Promise.all([token(again), token(again)]);
    expect(both.filter(({ error }) => error === 'bad_refresh_token')).toHaveLength(1);
    const issued = both.find(one => one.access_token)?.access_token;
    expect((await userOf(issued)).status).toBe(401);
  });

  test('a refresh token needs the secret of its client, and is not good for another', async () => {
    const first = await issue();
    const again = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    expect((await token({ ...again, client_id: appId })).error).toBe('incorrect_client_credentials');
    expect((await token({ ...again, ...ofOauthApp })).error).toBe('bad_refresh_token');
    expect((await token({ ...again, ...ofApp })).access_token).toBeDefined();
  });

  test.each(['token', 'grant'])('`DELETE /applications/{client_id}/%s` ends the refresh token as well', async what => {
    const first = await issue();
    const path = `/applications/${appId}/${what}`;
    const body = { access_token: first.access_token };
    expect((await call(gateway, 'DELETE', path, basic(appId, appSecret), body)).status).toBe(204);
    const again = { ...ofApp, grant_type: 'refresh_token', refresh_token: first.refresh_token };
    expect((await token(again)).error).toBe('bad_refresh_token');
  });

  test('ending a connection revokes the token of an exchange in progress as well', async () => {
    const first = await issue();
    const { text, record } = mintToken('user_to_server');
    const exchange = [
      sql`select 1 from oauth_grant where app_id = (select id from app where client_id = ${appId}) for update`,
      sql`insert into host_credential (kind, hash, last_eight, account_id, app_id, parent_id, created_at, updated_at, expires_at)
        select kind, ${record.hash}, ${record.lastEight}, account_id, app_id, parent_id, created_at, updated_at, expires_at
        from host_credential where hash = ${Buffer.from(hashToken(first.access_token), 'base64url')}`,
    ];
    const body = { access_token: first.access_token };
    const ended = await commitOnceAwaited(gateway, exchange, () =>
      call(gateway, 'DELETE', `/applications/${appId}/grant`, basic(appId, appSecret), body),
    );
    expect(ended.status).toBe(204);
    expect((await userOf(text)).status).toBe(401);
  });

  test('revoking the credential of the sign-in ends all', async () => {
    const own = await graphql(
      gateway,
      'mutation { createClassicToken(input: { note: "Browser", scopes: ["user", "repo"] }) { secret token { id } } }',
      wren,
    );
    const { secret, token: made } = own.data.createClassicToken;
    const other = await new UserBrowser(gateway).signedIn(secret);
    const code = (await other.authorize({ client_id: appId })).searchParams.get('code') ?? '';
    const unused = (await other.authorize({ client_id: appId })).searchParams.get('code') ?? '';
    const first = await token({ ...ofApp, code });
    const revoked = await graphql(
      gateway,
      'mutation($id: ID!) { revokeToken(input: { tokenId: $id }) { clientMutationId } }',
      wren,
      { id: made.id },
    );
    expect(revoked.errors).toBeUndefined();
    expect((await userOf(first.access_token)).status).toBe(401);
    const again = { ...ofApp, grant_type: 'refresh_token', refresh_token: first.refresh_token };
    expect((await token(again)).error).toBe('bad_refresh_token');
    expect((await token({ ...ofApp, code: unused })).error).toBe('bad_verification_code');
    expect((await other.open('/login/device')).text).toContain('Sign in');
  });
});

describe('the device flow', () => {
  const client: oauth.Client = { client_id: oauthId };
  const start = async () => {
    const response = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: 'repo' }, insecure);
    return oauth.processDeviceAuthorizationResponse(server, client, response);
  };
  const poll = (deviceCode: string) =>
    token({ client_id: oauthId, device_code: deviceCode, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' });
  /** Time passes for this device. */
  const wait = () => sql`update oauth_grant set polled_at = polled_at - interval '1 minute'`.execute(db);
  const decide = async (userCode: string, action: string) => {
    const { formToken } = await browser.open('/login/device');
    const found = await browser.open('/login/device', {
      action: 'find',
      user_code: userCode.toLowerCase(),
      form_token: formToken,
    });
    expect(found.text).toContain('Authorize');
    return browser.open('/login/device', { action, user_code: userCode, form_token: found.formToken });
  };

  test('by a library: the device waits until its user has decided', async () => {
    const codes = await start();
    expect(codes).toMatchObject({
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: `${gateway.url}/login/device`,
      expires_in: 900,
      interval: 5,
    });
    expect((await poll(codes.device_code)).error).toBe('authorization_pending');
    expect(await poll(codes.device_code)).toMatchObject({ error: 'slow_down', interval: 10 });
    expect((await decide(codes.user_code, 'authorize')).text).toContain('The device is connected');
    await wait();
    const response = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), codes.device_code, insecure);
    const result = await oauth.processDeviceCodeResponse(server, client, response);
    expect(result.scope).toBe('repo');
    expect((await userOf(result.access_token)).json.login).toBe('wren');
    // The code is good once.
    expect((await poll(codes.device_code)).error).toBe('incorrect_device_code');
    expect((await userOf(result.access_token)).status).toBe(401);
  });

  test('a denied, an expired, a decided and an unknown code', async () => {
    const denied = await start();
    expect((await decide(denied.user_code, 'deny')).text).toContain('Nothing was granted');
    expect((await poll(denied.device_code)).error).toBe('access_denied');
    const { formToken } = await browser.open('/login/device');
    const again = await browser.open('/login/device', {
      action: 'authorize',
      user_code: denied.user_code,
      form_token: formToken,
    });
    expect(again.text).toContain('There is no such code');
    const late = await start();
    await sql`update oauth_grant set expires_at = created_at where decided_at is null`.execute(db);
    expect((await poll(late.device_code)).error).toBe('expired_token');
    expect((await poll('unknown')).error).toBe('incorrect_device_code');
    const bad = await fetch(server.device_authorization_endpoint ?? '', {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: 'nobody' }),
    });
    expect(await bad.json()).toMatchObject({ error: 'incorrect_client_credentials' });
  });
});

test('the page of an app shows what it may, and revokes it', async () => {
  const { access_token: secret } = await token({
    ...ofOauthApp,
    code: await codeOf({ client_id: oauthId, scope: 'repo' }),
  });
  const path = `/settings/connections/applications/${oauthId}`;
  const page = await browser.open(path);
  expect(page.text).toContain('<code>repo</code>');
  await browser.open(path, { action: 'revoke', form_token: page.formToken });
  expect((await userOf(secret)).status).toBe(401);
  expect((await browser.open(path)).text).toContain('You have not authorized it');
  expect((await browser.open('/settings/connections/applications/nobody')).status).toBe(404);
  // The list of all is another page, which takes a token.
  const list = await call(gateway, 'GET', '/settings/connections/applications', `Bearer ${wren}`);
  expect([list.status, list.text]).toEqual([200, expect.stringContaining('Authorized apps')]);
});

test('the token endpoint takes JSON, and refuses repeated parameters', async () => {
  const code = await codeOf({ client_id: oauthId });
  const post = (body: string, type: string) =>
    fetch(server.token_endpoint ?? '', {
      method: 'POST',
      headers: { 'content-type': type, accept: 'application/json' },
      body,
    });
  const twice = await post(`client_id=${oauthId}&client_id=${oauthId}`, 'application/x-www-form-urlencoded');
  expect(twice.status).toBe(400);
  expect((await post('{"client_id": ', 'application/json')).status).toBe(400);
  expect((await post('[1]', 'application/json')).status).toBe(400);
  const answer = await post(JSON.stringify({ ...ofOauthApp, code }), 'application/json');
  expect(await answer.json()).toMatchObject({ token_type: 'bearer' });
});
