import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { testGateway } from '../harness/gateway.ts';
import { appJwt, basic, call, demoOf } from '../harness/hosting.ts';
import { newWorld } from './contents/world.ts';

const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on' } });
const demo = await demoOf(gateway);
const { wren, juniper, linh } = demo.users;
const world = await newWorld(gateway, wren.classic_token);
const hidden = await newWorld(gateway, wren.classic_token, { isPrivate: true });
await world.commit({ 'a.txt': 'a' });
const jwt = await appJwt(gateway, demo);
const [account] = await gateway.database.read(sql<{ id: number }>`select id from account where login = 'wren'`);
const { token: scopeless } = await inTransaction(gateway.database, db =>
  insertCredential(db, { kind: 'classic', accountId: account?.id ?? 0, scopes: [] }, gateway.clock.now),
);

const publicFile = `/repos/${world.owner}/${world.name}/contents/a.txt`;
const hiddenFile = `/repos/${hidden.owner}/${hidden.name}/contents/a.txt`;
const file = { message: 'm', content: '' };
const { client_id: clientId, client_secret: secret } = demo.oauth_app;
const ofClient = `/applications/${clientId}/token`;

/** The authentication section of the published contract, one line after the other. */
test.each<
  [row: string, method: string, path: string, authorization: string | undefined, statuses: number[], body?: object]
>([
  ['Bearer <token>', 'GET', '/user', `Bearer ${wren.classic_token}`, [200]],
  ['token <token>', 'GET', '/user', `token ${wren.classic_token}`, [200]],
  ['a JWT by Bearer', 'GET', '/app', `Bearer ${jwt}`, [200]],
  ['a JWT by token', 'GET', '/app', `token ${jwt}`, [401]],
  ['fine-grained token', 'GET', '/user', `Bearer ${wren.fine_grained_token}`, [200]],
  ['OAuth token', 'GET', '/user', `Bearer ${demo.tokens.oauth}`, [200]],
  ['client id and secret', 'POST', ofClient, basic(clientId, secret), [200], { access_token: demo.tokens.oauth }],
  ['webhook endpoints by JWT', 'GET', '/app/hook/config', `Bearer ${jwt}`, [200]],
  [
    'webhook endpoints by installation token',
    'GET',
    '/app/hook/config',
    `Bearer ${demo.tokens.installation}`,
    [401, 403],
  ],
  [
    'webhook endpoints by fine-grained token',
    'GET',
    '/app/hook/config',
    `Bearer ${wren.fine_grained_token}`,
    [401, 403],
  ],
  ['webhook endpoints without a token', 'GET', '/app/hook/config', undefined, [401, 403]],
  ['user name and password', 'GET', '/user', basic('linh', 'password'), [401]],
  ['public data without a token', 'GET', publicFile, undefined, [200]],
  ['a private read without a token', 'GET', hiddenFile, undefined, [404]],
  ['own data without a token', 'GET', '/user', undefined, [403, 404]],
  ['a write without a token', 'PUT', publicFile, undefined, [403, 404], file],
  ['a write to a private repository without a token', 'PUT', hiddenFile, undefined, [403, 404], file],
  ['a write to nothing without a token', 'PUT', '/repos/no/body/contents/a', undefined, [403, 404], file],
  ['a deletion without a token', 'DELETE', publicFile, undefined, [403, 404], { message: 'm', sha: '0'.repeat(40) }],
  ['a method that there is not, without a token', 'POST', '/versions', undefined, [403, 404], {}],
  ['an endpoint of clients without credentials', 'POST', ofClient, undefined, [403, 404], { access_token: 'x' }],
  ['a write without permission', 'PUT', publicFile, `Bearer ${linh.classic_token}`, [403, 404], file],
  ['a write without the scope', 'PUT', publicFile, `Bearer ${scopeless}`, [403, 404], file],
  ['a hidden repository', 'GET', hiddenFile, `Bearer ${linh.classic_token}`, [404]],
  ['a private repository without the scope', 'GET', hiddenFile, `Bearer ${scopeless}`, [404]],
  ['an invalid token', 'GET', '/user', 'Bearer nonsense', [401]],
  ['an invalid token for a write', 'PUT', publicFile, 'Bearer nonsense', [401], file],
])('%s', async (...row) => {
  // A parameter that a row lacks would be the callback of Jest.
  const [, method, path, authorization, statuses, body] = row;
  const { status, json } = await call(gateway, method, path, authorization, body);
  expect(statuses).toContain(status);
  if (status >= 400) expect(json).toMatchObject({ message: expect.any(String), status: String(status) });
});

test('several invalid attempts lock every attempt for that user, valid ones included', async () => {
  const attempt = () => call(gateway, 'GET', '/user', basic('juniper', 'guess'));
  for (let at = 0; at < 10; at++) expect((await attempt()).status).toBe(401);
  expect((await attempt()).status).toBe(403);
  for (const valid of [juniper.classic_token, juniper.fine_grained_token]) {
    expect((await call(gateway, 'GET', '/user', `Bearer ${valid}`)).status).toBe(403);
  }
  expect((await call(gateway, 'GET', '/user', `Bearer ${wren.classic_token}`)).status).toBe(200);
  expect((await call(gateway, 'GET', publicFile)).status).toBe(200);
});

test('responses name the permissions that an endpoint needs', async () => {
  expect(
    (await call(gateway, 'GET', publicFile, `Bearer ${wren.classic_token}`)).headers.get('x-accepted-host-permissions'),
  ).toBe('contents=read');
  expect(
    (await call(gateway, 'PUT', publicFile, `Bearer ${linh.classic_token}`, file)).headers.get(
      'x-accepted-host-permissions',
    ),
  ).toContain('contents=write');
});
