import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { accountSections, repositorySections } from '../../../src/hosting/accounts/export-sections.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { testSecret } from '../../harness/secret.ts';

const gateway = await testGateway({ data: 'demo' });
const demo = await demoOf(gateway);
const root = mkdtempSync(join(tmpdir(), 'portico-export-'));
afterAll(() => rmSync(root, { recursive: true }));
const wren = demo.users.wren.classic_token;
const secret = 'hook-secret-that-is-not-exported';

const environment = {
  // biome-ignore lint/style/noProcessEnv: where git is found.
  PATH: process.env.PATH ?? '',
  DATABASE_URL: gateway.databaseUrl,
  SECRET_KEY: testSecret,
  PORTICO_DATA: root,
};
const program = join(import.meta.dirname, '..', '..', '..', 'dist', 'src', 'command-line', 'portico.js');
/** Without blocking this process, in which the gateway runs. */
function portico(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  return new Promise(resolve => {
    execFile(process.execPath, [program, 'export', ...args], { cwd: root, env: environment }, (error, out, err) =>
      resolve({ status: error ? Number(error.code) : 0, out, err }),
    );
  });
}
const read = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'));
const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(one => one.isFile())
    .map(one => join(one.parentPath, one.name));

beforeAll(async () => {
  const config = { url: 'https://receiver.example.org/hooks', content_type: 'json', secret };
  for (const source of ['/orgs/harbor-lab', '/repos/harbor-lab/compass']) {
    const answer = await call(gateway, 'POST', `${source}/hooks`, `Bearer ${wren}`, { name: 'web', config });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
  }
  await call(gateway, 'POST', '/user/repos', `Bearer ${wren}`, { name: 'without-commits' });
});

test('an organization is exported with members, hooks without secrets, rulesets, and repositories as bundles', async () => {
  expect(await portico('account', 'Harbor-Lab', 'org')).toMatchObject({ status: 0, err: '' });
  expect(read('org', 'account.json')).toMatchObject([{ login: 'harbor-lab', kind: 'organization' }]);
  expect(read('org', 'members.json')).toContainEqual(expect.objectContaining({ login: 'wren', role: 'admin' }));
  expect(read('org', 'hooks.json')).toMatchObject([{ url: 'https://receiver.example.org/hooks', has_secret: true }]);
  expect(existsSync(join(root, 'org', 'emails.json'))).toBe(false);
  const compass = ['org', 'repositories', 'compass'] as const;
  expect(read(...compass, 'repository.json')).toMatchObject([{ name: 'compass', default_branch: 'main' }]);
  expect(read(...compass, 'hooks.json')).toHaveLength(1);
  expect(read(...compass, 'stargazers.json').length).toBeGreaterThan(0);
  expect(read(...compass, 'events.json')[0]).toMatchObject({ repository: 'harbor-lab/compass' });
  const clone = spawnSync('git', ['clone', '-q', join(...compass, 'compass.bundle'), 'clone'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([clone.status, clone.stderr]).toEqual([0, '']);
  expect(readdirSync(join(root, 'clone')).length).toBeGreaterThan(1);
  expect(readFileSync(join(root, 'org', 'README.md'), 'utf8')).toContain('git clone <name>.bundle');
  expect(statSync(join(root, 'org')).mode & 0o077).toBe(0);
});

test('a user is exported with addresses, keys and tokens, and no file has a secret or a hash', async () => {
  expect(await portico('account', 'wren', 'user')).toMatchObject({ status: 0, err: '' });
  expect(read('user', 'emails.json')[0]).toMatchObject({ is_primary: true });
  expect(read('user', 'organizations.json')).toContainEqual(expect.objectContaining({ organization: 'harbor-lab' }));
  expect(read('user', 'tokens.json').map((one: { last_eight: string }) => one.last_eight)).toContain(wren.slice(-8));
  expect(readdirSync(join(root, 'user', 'repositories', 'without-commits'))).not.toContain('without-commits.bundle');
  const { rows } = await sql<{ secret: string }>`
    select encode(hash, 'hex') as secret from host_credential
    union all select secret_sealed from hook where secret_sealed is not null
    union all select webhook_secret_sealed from app where webhook_secret_sealed is not null`.execute(
    gateway.database.sql,
  );
  const secrets = [secret, wren, demo.users.wren.fine_grained_token, ...rows.map(row => row.secret)];
  expect(secrets.length).toBeGreaterThan(5);
  for (const file of [...filesBelow('org'), ...filesBelow('user')].filter(path => path.endsWith('.json'))) {
    const text = readFileSync(file, 'utf8');
    expect({ file, found: secrets.filter(one => text.includes(one)) }).toEqual({ file, found: [] });
  }
});

test('what cannot be exported is one sentence and leaves nothing', async () => {
  mkdirSync(join(root, 'full'));
  writeFileSync(join(root, 'full', 'file'), '');
  expect(await portico('account', 'nobody-here', 'none')).toMatchObject({
    status: 1,
    err: 'There is no account nobody-here.\n',
  });
  expect(await portico('account', 'wren', 'full')).toMatchObject({ status: 1, err: 'full is not empty.\n' });
  expect(await portico('account', 'wren', join('full', 'file', 'below'))).toMatchObject({
    status: 1,
    err: expect.stringMatching(/cannot be written \(ENOTDIR\)\.\n$/),
  });
  expect(await portico('person', 'nobody@example.org', 'none')).toMatchObject({
    status: 1,
    err: 'There is no account with the address nobody@example.org.\n',
  });
  expect(readdirSync(root).filter(name => /^(none|full\.)/.test(name))).toEqual([]);
});

test('a person is exported with what the person can download', async () => {
  const [{ email = '' } = {}] = await gateway.database.read<{ email: string }>(
    sql`select u.email from users u join symptom_log s on s.user_id = u.id group by u.email order by count(*) desc limit 1`,
  );
  expect(await portico('person', email, 'person')).toMatchObject({ status: 0, err: '' });
  expect(read('person', 'profile.json')).toMatchObject({ email });
  expect(read('person', 'symptom-logs.json').length).toBeGreaterThan(0);
  const text = filesBelow('person')
    .map(file => readFileSync(file, 'utf8'))
    .join('\n');
  expect(text).not.toMatch(/password_?hash|\$argon2/i);
});

/** Tables that belong to an account or a repository and are not exported, and why. */
const leftOut: Readonly<Record<string, string>> = {
  app_key: 'in apps.json',
  installation_repository: 'in installations.json',
  credential_repository: 'permissions of a token, which ends with the account',
  sso_authorization: 'permissions of a token, which ends with the account',
  oauth_grant: 'permissions of an app, which end with the account',
  service_signing_key: 'a secret of the service',
  git_commit_segment: 'made from the git data',
  git_maintenance: 'made from the git data',
  git_object: 'in the bundle',
  git_chunk: 'in the bundle',
  commit_verification: 'made from the git data',
  git_ref: 'in the bundle',
  git_unindexed_commit: 'made from the git data',
  uncounted_language: 'work that waits',
  repository_growth: 'figures of the storage',
  rule_suite: 'results of pushes, which are kept for some days',
};

test('every table of an account or a repository is exported, or left out for a reason', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid in ('account'::regclass, 'repository'::regclass)`.execute(gateway.database.sql);
  const exported = new Set([...accountSections, ...repositorySections].map(({ table }) => table));
  const names = rows.map(({ name }) => name).filter(name => !/^event_/.test(name));
  expect(names.filter(name => !exported.has(name) && !(name in leftOut))).toEqual([]);
  expect(Object.keys(leftOut).filter(name => exported.has(name))).toEqual([]);
});
