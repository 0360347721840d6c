import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { tokenScopeNames } from '../../src/auth/token-scopes.ts';
import { commitOnceAwaited } from '../harness/commit-once-awaited.ts';
import { testGateway } from '../harness/gateway.ts';
import { basic, call, graphql } from '../harness/hosting.ts';
import { delegationWorld, strong } from './delegation-world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const world = await delegationWorld(gateway);
const { demo, classic, made } = world;

const meanwhile = <T>(statement: RawBuilder<unknown>, request: () => Promise<T>): Promise<T> =>
  commitOnceAwaited(gateway, [statement], request);

/** The write of `resetClientToken`. */
const reset = (token: string) => sql`update host_credential set hash = ${randomBytes(32)}, last_eight = 'replaced'
  where last_eight = ${token.slice(-8)}`;
const authorized = async (clientId: string, scopes = ''): Promise<string> => {
  const whole = `Bearer ${(await classic(tokenScopeNames)).token}`;
  return String(
    await made(`authorizeApp(input: { clientId: "${clientId}"${scopes} }) { secret }`, whole, 'authorizeApp.secret'),
  );
};

describe('a concurrent request with a replaced client token creates nothing', () => {
  test('a workflow token', async () => {
    const leaked = await authorized(demo.oauth_app.client_id, ', scopes: ["repo"]');
    const query =
      'mutation { createWorkflowToken(input: { repository: { named: { owner: "harbor-lab", name: "ledger" } }, permissions: [{ name: "contents", level: READ }] }) { secret } }';
    const { errors } = await meanwhile(reset(leaked), () => graphql(gateway, query, leaked));
    expect(errors?.[0].extensions.code).toBe('BAD_CREDENTIAL');
  });

  test('a restricted token', async () => {
    const leaked = await authorized(demo.app.client_id);
    const pair = basic(demo.app.client_id, demo.app.client_secret);
    const path = `/applications/${demo.app.client_id}/token/scoped`;
    const body = { access_token: leaked, target: 'harbor-lab' };
    const answer = await meanwhile(reset(leaked), () => call(gateway, 'POST', path, pair, body));
    expect(answer.status).toBe(401);
  });
});

describe('an installation token is rejected, without a server error, while its parents are deleted', () => {
  test.each([
    ['the key', (app: number) => sql`delete from app_key where app_id = ${app}`],
    ['the installation', (app: number) => sql`delete from installation where app_id = ${app}`],
    ['the app', (app: number) => sql`delete from app where id = ${app}`],
  ])('%s', async (_name, gone) => {
    const app = await world.operatorsApp(strong);
    await world.keyFor(app.id);
    const installationId = await world.install(app.slug, `Bearer ${(await classic(tokenScopeNames)).token}`);
    const jwt = `Bearer ${await world.jwtOf(app.id)}`;
    const path = `/app/installations/${installationId}/access_tokens`;
    expect((await call(gateway, 'POST', path, jwt)).status).toBe(201);
    const answer = await meanwhile(gone(app.id), () => call(gateway, 'POST', path, jwt));
    expect(answer.status).toBe(404);
  });
});
