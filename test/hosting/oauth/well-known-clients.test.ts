import { expect, test } from '@jest/globals';
import { registerClientCommand } from '../../../src/hosting/accounts/accounts.commands.ts';
import { testGateway } from '../../harness/gateway.ts';

const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on', TRUST_PROXY: 'loopback' } });

const askForCode = (client: string) =>
  gateway.request('/login/device/code', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: client, scope: 'repo read:org gist' }).toString(),
  });

test('gh signs in at the demo world, with the scopes that it asks for', async () => {
  const { status, json } = await askForCode('178c6fc778ccc68e1d6a');
  expect([status, json]).toMatchObject([200, { user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/), interval: 5 }]);
});

test('an operator registers others, once', async () => {
  const manager = '0120e057bd645470c1ed';
  expect((await askForCode(manager)).json.device_code).toBeUndefined();
  const lines: string[] = [];
  const register = (name: string) =>
    registerClientCommand(
      { name, owner: 'wren' },
      { db: gateway.database.sql, now: gateway.clock.now, write: line => void lines.push(line) },
    );
  await register('git-credential-manager');
  await register('git-credential-manager');
  expect(lines).toEqual([
    'Git Credential Manager may sign users in. wren owns it.',
    'Git Credential Manager is registered already.',
  ]);
  expect((await askForCode(manager)).json.device_code).toEqual(expect.any(String));
  await expect(register('nothing')).rejects.toThrow(
    'There is no client nothing. There are gh, git-credential-manager.',
  );
});
