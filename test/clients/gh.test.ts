import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { type Gh, ghHost, ghInFrontOf, hasGh } from '../harness/gh.ts';
import { demoOf } from '../harness/hosting.ts';

// The media types of `gh` have the brand «github»; a default installation responds 415 to them.
const gateway = await testGateway({
  settings: { BASE_URL: `https://${ghHost}`, TRUST_PROXY: '1', HOSTING_BRAND: 'github' },
});
const { users } = await demoOf(gateway);
const token = users.juniper.classic_token;
const gh = hasGh ? await ghInFrontOf(gateway) : undefined;

// Where `gh` is not installed, the tests are skipped and counted as skipped.
const suite = hasGh ? describe : describe.skip;

suite('gh', () => {
  const run = (...args: string[]): ReturnType<Gh['run']> => (gh as Gh).run(args, { token });
  const takeRequests = (): string[] =>
    (gh as Gh).takeRequests().map(({ method, path, status }) => `${method} ${path} ${status}`);

  test('auth status', async () => {
    const { code, stdout, stderr } = await run('auth', 'status');
    expect(`${stdout}${stderr}`).toContain(`Logged in to ${ghHost} as juniper`);
    expect(`${stdout}${stderr}`).toMatch(/Token scopes: .*repo/);
    expect(code).toBe(0);
    expect(takeRequests()).toEqual(['GET /api/v3/ 200', 'POST /api/graphql 200']);
  });

  test('auth login and logout', async () => {
    const login = await (gh as Gh).run(['auth', 'login', '--hostname', ghHost, '--with-token'], {
      input: `${token}\n`,
    });
    expect(login).toMatchObject({ code: 0 });
    const { stdout } = await (gh as Gh).run(['api', 'user', '--jq', '.login']);
    expect(stdout.trim()).toBe('juniper');
    expect(await (gh as Gh).run(['auth', 'logout', '--hostname', ghHost])).toMatchObject({ code: 0 });
    takeRequests();
  });

  test('auth status with an unknown token', async () => {
    const { code, stderr, stdout } = await (gh as Gh).run(['auth', 'status'], { token: 'hostp_nobodys' });
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain('authentication failed');
    expect(takeRequests()).toEqual(['GET /api/v3/ 401']);
  });

  test('api, of the REST API', async () => {
    expect((await run('api', 'user', '--jq', '.login')).stdout.trim()).toBe('juniper');
    expect(takeRequests()).toEqual(['GET /api/v3/user 200']);
  });

  test('api --paginate, of the REST API', async () => {
    const whole = await run('api', 'user/repos', '--jq', '.[].full_name');
    const paged = await run('api', '--paginate', 'user/repos?per_page=1', '--jq', '.[].full_name');
    expect(paged.stdout.trim().split('\n').length).toBeGreaterThan(1);
    expect(paged.stdout).toBe(whole.stdout);
    takeRequests();
  });

  test('api graphql', async () => {
    const query = 'query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { name } }';
    const { code, stdout } = await run(
      'api',
      'graphql',
      '-f',
      `query=${query}`,
      '-f',
      'owner=harbor-lab',
      '-f',
      'name=compass',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout).data).toEqual({ repository: { name: 'compass' } });
    expect(takeRequests()).toEqual(['POST /api/graphql 200']);
  });

  test('api graphql with an invalid document', async () => {
    const { code, stdout, stderr } = await run('api', 'graphql', '-f', 'query={ nothing }');
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain('Cannot query field');
    takeRequests();
  });

  test('browse', async () => {
    expect((await run('browse', '--no-browser', '--repo', 'harbor-lab/compass')).stdout.trim()).toBe(
      `https://${ghHost}/harbor-lab/compass`,
    );
    expect(takeRequests()).toEqual([]);
  });
});
