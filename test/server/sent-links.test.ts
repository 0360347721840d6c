import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, demoOf, globalIdOf } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { registration } from '../harness/people.ts';
import { requestToHost } from '../harness/request-to-host.ts';
import { openReceiver, payloadOf, type Received } from '../hosting/webhooks/receiver.ts';
import { until } from '../jobs/job-harness.ts';

// All hosts are allowed, so that these requests are served: sent links must not depend on the host list alone.
const mails = await mailbox();
const common = {
  SMTP_URL: mails.url,
  OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
  ALLOWED_HOSTS: '*',
  TRUST_PROXY: 'loopback',
};
const gateway = await testGateway({ data: 'demo', workers: true, settings: common });
const named = await testGateway({
  data: 'empty',
  workers: true,
  settings: { ...common, BASE_URL: 'https://api.example.org' },
});
const demo = await demoOf(gateway);
const receiver = await openReceiver();
afterAll(() => receiver.close());

const evil = { 'x-forwarded-host': 'proxy.evil.example', 'x-forwarded-proto': 'https' };

describe.each([
  ['the listen address', gateway, gateway.url],
  ['BASE_URL', named, 'https://api.example.org'],
])('a mail leads to %s', (_name, at, origin) => {
  const ask = (path: string, body: object, headers: Record<string, string> = {}) =>
    requestToHost(at, 'evil.example', path, { method: 'POST', headers, body });
  const linkIn = async (to: string, subject: RegExp): Promise<string | undefined> =>
    /https?:\/\/\S+/.exec((await mails.take(to, subject)).text ?? '')?.[0];

  test('for any Host of the request', async () => {
    const form = registration();
    expect((await ask('/api/v1/auth/register/', form)).status).toBe(201);
    const activation = await linkIn(form.email, /activate|finish/i);
    expect(activation).toMatch(new RegExp(`^${origin}/api/v1/auth/activate/\\?token=`));
    const token = /[0-9a-f-]{36}$/.exec(activation ?? '')?.[0];
    expect((await ask('/api/v1/auth/activate/', { token })).status).toBe(201);
    expect((await ask('/api/v1/auth/password/reset/', { email: form.email })).status).toBe(201);
    expect(await linkIn(form.email, /password/i)).toMatch(
      new RegExp(`^${origin}/api/v1/auth/password/reset/confirm/#`),
    );
  });

  test('for any X-Forwarded-Host, by GraphQL, and in a repeated activation mail', async () => {
    const form = registration();
    expect((await ask('/api/v1/auth/register/', form, evil)).status).toBe(201);
    expect(await linkIn(form.email, /activate|finish/i)).toMatch(new RegExp(`^${origin}/`));
    const query =
      'mutation ($email: String!) { requestHealthPasswordReset(input: { email: $email }) { clientMutationId } }';
    const answer = await ask('/graphql', { query, variables: { email: form.email } }, evil);
    expect(answer.json.errors).toBeUndefined();
    expect(await linkIn(form.email, /activate|finish/i)).toMatch(new RegExp(`^${origin}/`));
  });
});

describe('the webhook payloads of an app', () => {
  const wren = `Bearer ${demo.users.wren.classic_token}`;
  const arrived = (event: string, action?: string): Promise<Received> =>
    until(`${event} ${action ?? ''}`, () => receiver.of(event, action)[0]);
  const as = async (authorization: string, method: string, path: string, body?: object) => {
    const headers = { ...evil, authorization };
    const answer = await requestToHost(gateway, 'evil.example', path, { method, headers, body });
    expect({ path, status: answer.status < 300 }).toEqual({ path, status: true });
    return answer.json;
  };
  /** All URLs in a payload, whose only host must be the public one. */
  const expectOwn = (got: Received): string => {
    const text = JSON.stringify(payloadOf(got));
    expect(text).not.toContain('evil.example');
    expect(text).toContain(gateway.url);
    return text;
  };

  beforeAll(async () => {
    const db = gateway.database.sql;
    await sql`update app set events = array['push', 'create', 'star', 'repository_ruleset'] where id = ${demo.app.id}`.execute(
      db,
    );
    await sql`update account set public_email = null where login = 'wren'`.execute(db);
    await sql`update installation set repository_selection = 'all',
      permissions = '{"contents":"write","metadata":"read","administration":"write"}'
      where id = ${demo.app.installation_id}`.execute(db);
    const jwt = `Bearer ${await appJwt(gateway, demo)}`;
    await as(jwt, 'PATCH', '/api/v3/app/hook/config', { url: `${receiver.url}/hooks`, content_type: 'json' });
  });

  test('names the public origin in a ping', async () => {
    const ping = await arrived('ping');
    expect(payloadOf(ping).hook.deliveries_url).toBe(`${gateway.url}/api/v3/app/hook/deliveries`);
    expectOwn(ping);
  });

  test('names it in a push and in the stored commit', async () => {
    const body = { message: 'Note', content: Buffer.from('note').toString('base64') };
    const { commit } = await as(wren, 'PUT', '/repos/harbor-lab/compass/contents/notes/sent.txt', body);
    expect(commit.author.email).toMatch(/@users\.noreply\.127\.0\.0\.1$/);
    expectOwn(await arrived('push'));
  });

  test('names it in an event of a repository and of a ruleset', async () => {
    const id = await globalIdOf(gateway, 'harbor-lab/compass');
    const query = `mutation { addStar(input: { starrableId: "${id}" }) { starrable { id } } }`;
    await as(wren, 'POST', '/graphql', { query });
    expectOwn(await arrived('star', 'created'));
    await as(wren, 'POST', '/api/v3/repos/harbor-lab/compass/rulesets', {
      name: 'sent',
      enforcement: 'disabled',
      rules: [{ type: 'deletion' }],
    });
    const { repository_ruleset: ruleset } = payloadOf(await arrived('repository_ruleset', 'created'));
    expect(JSON.stringify(ruleset._links)).not.toContain('evil.example');
    expect(ruleset._links.self.href.startsWith(`${gateway.url}/api/v3/repos/`)).toBe(true);
  });
});
