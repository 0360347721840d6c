import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { decrypt } from '../../src/auth/encryption.ts';
import { SessionTokens } from '../../src/auth/session-tokens.ts';
import { reencryptSecrets } from '../../src/command-line/reencrypt-secrets.ts';
import { readConfig } from '../../src/config/config.ts';
import { inTransaction } from '../../src/db/database.ts';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { testSecret } from '../harness/secret.ts';

const newSecret = 'n'.repeat(40);
const gateway = await testGateway({ data: 'demo' });
const demo = await demoOf(gateway);
/** The same database with the new secret: with and without the old one. */
const overlapping = await testGateway({
  beside: gateway,
  settings: { SECRET_KEY: newSecret, SECRET_KEY_PREVIOUS: testSecret },
});
const rotated = await testGateway({ beside: gateway, settings: { SECRET_KEY: newSecret } });

const profile = (at: typeof gateway, token: string) =>
  at.request('/api/v1/auth/me/', { headers: { authorization: `Bearer ${token}` } });

test('a session lives through a rotation, and ends with the old secret', async () => {
  const [ada] = (await createAccounts(gateway, 1)) as [TestAccount];
  const refresh = (at: typeof gateway, token: string) =>
    at.request('/api/v1/auth/token/refresh/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh: token }),
    });
  expect((await profile(overlapping, ada.access)).status).toBe(200);
  expect((await profile(rotated, ada.access)).status).toBe(401);
  const renewed = await refresh(overlapping, ada.refresh);
  expect(renewed.status).toBe(201);
  expect((await profile(rotated, renewed.json.access)).status).toBe(200);
  expect((await profile(gateway, renewed.json.access)).status).toBe(401);
});

test('an expired token of the old secret is called expired', async () => {
  const at = new Date('2026-01-01T00:00:00Z');
  const old = new SessionTokens(deriveKeys(readConfig({ SECRET_KEY: testSecret })).sessionTokens);
  const text = await old.sign('access', { id: 'a', userId: 1, sessionId: 's', issuedAt: at, expiresAt: at });
  const config = readConfig({ SECRET_KEY: newSecret, SECRET_KEY_PREVIOUS: testSecret });
  const tokens = new SessionTokens(deriveKeys(config).sessionTokens);
  await expect(tokens.verify('access', text, new Date('2026-01-02T00:00:00Z'))).rejects.toThrow('Token is expired');
});

test('stored secrets are encrypted with the new secret, and those that cannot be are counted', async () => {
  const { wren } = demo.users;
  const made = await call(gateway, 'POST', '/orgs/harbor-lab/hooks', `Bearer ${wren.classic_token}`, {
    name: 'web',
    config: { url: 'https://example.org/hook', secret: 'a secret of a hook' },
  });
  expect(made.status).toBe(201);
  const stored = async (): Promise<string> => {
    const [row] = await gateway.database.read(
      sql<{ sealed: string }>`select secret_sealed as sealed from hook where id = ${made.json.id}`,
    );
    return row?.sealed ?? '';
  };
  const keysOf = (settings: Record<string, string>) => deriveKeys(readConfig(settings)).encryption;
  const both = keysOf({ SECRET_KEY: newSecret, SECRET_KEY_PREVIOUS: testSecret });
  const run = (keys: typeof both) => inTransaction(gateway.database, db => reencryptSecrets(db, keys));
  const first = await run(both);
  expect([first.changed > 0, first.unreadable.size]).toEqual([true, 0]);
  expect(decrypt(keysOf({ SECRET_KEY: newSecret }), await stored(), 'webhook secret')).toBe('a secret of a hook');
  const second = await run(both);
  expect([second.changed, second.current]).toEqual([0, first.changed + first.current]);
  const before = await stored();
  const others = await run(keysOf({ SECRET_KEY: 'x'.repeat(40) }));
  expect([others.changed, others.unreadable.get('hook.secret_sealed')]).toEqual([0, expect.any(Number)]);
  expect(await stored()).toBe(before);
  const back = keysOf({ SECRET_KEY: testSecret, SECRET_KEY_PREVIOUS: newSecret });
  expect((await run(back)).unreadable.size).toBe(0);
});

test('no further column is named as encrypted: it would belong to the list of `keys reencrypt`', async () => {
  const columns = await gateway.database.read(sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and column_name ~ 'sealed|encrypted' order by 1`);
  expect(columns.map(({ name }) => name)).toEqual([
    'app.webhook_secret_sealed',
    'hook.secret_sealed',
    'service_signing_key.encrypted_key',
  ]);
});

test('a short previous secret is refused', () => {
  expect(() => readConfig({ SECRET_KEY: newSecret, SECRET_KEY_PREVIOUS: 'short' })).toThrow('SECRET_KEY_PREVIOUS');
});
