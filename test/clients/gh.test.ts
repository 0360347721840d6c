import { describe, expect, test } from '@jest/globals';
import { clientGateway } from '../harness/client-gateway.ts';
import { type Gh, type GhAnswer, ghHost, ghInFrontOf, ghVersion, hasGh } from '../harness/gh.ts';
import { demoOf, globalIdOf } from '../harness/hosting.ts';

// TLS in front of it, as `gh` insists.
const gateway = await clientGateway({ BASE_URL: `https://${ghHost}`, TRUST_PROXY: '1' });
if (hasGh) gateway.usedBy('gh', ghVersion());
const { users } = await demoOf(gateway);
const token = users.juniper.classic_token;
const gh = hasGh ? await ghInFrontOf(gateway) : undefined;

/** What `gh repo list` prints: name, description, visibility and time, separated by tabs. */
function columnsOf({ code, stdout, stderr }: GhAnswer): string[][] {
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').flatMap(line => (line === '' ? [] : [line.split('\t')]));
}

// Without issues, pull requests, releases, images and the commit address of the caller.
const repositoryFields = [
  ...['id', 'name', 'nameWithOwner', 'owner', 'url', 'sshUrl', 'description', 'homepageUrl', 'createdAt', 'updatedAt'],
  ...[
    'pushedAt',
    'diskUsage',
    'forkCount',
    'stargazerCount',
    'watchers',
    'defaultBranchRef',
    'parent',
    'templateRepository',
  ],
  ...[
    'isArchived',
    'isEmpty',
    'isFork',
    'isInOrganization',
    'isMirror',
    'mirrorUrl',
    'isPrivate',
    'isTemplate',
    'hasIssuesEnabled',
  ],
  ...['hasProjectsEnabled', 'hasWikiEnabled', 'mergeCommitAllowed', 'rebaseMergeAllowed', 'squashMergeAllowed'],
  ...['deleteBranchOnMerge', 'viewerCanAdminister', 'viewerHasStarred', 'viewerPermission', 'viewerSubscription'],
  ...['primaryLanguage', 'languages', 'repositoryTopics', 'licenseInfo'],
];

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

  test('api graphql --paginate', async () => {
    const query = `query ($endCursor: String) { organization(login: "harbor-lab") {
      repositories(first: 2, after: $endCursor) { nodes { name } pageInfo { hasNextPage endCursor } } } }`;
    const jq = ['--jq', '.data.organization.repositories.nodes[].name'];
    const whole = await run('api', 'graphql', '-f', `query=${query.replace('first: 2', 'first: 100')}`, ...jq);
    takeRequests();
    const paged = await run('api', 'graphql', '--paginate', '-f', `query=${query}`, ...jq);
    expect(paged).toEqual({ code: 0, stdout: whole.stdout, stderr: '' });
    const pages = Math.ceil(whole.stdout.trim().split('\n').length / 2);
    expect(pages).toBeGreaterThan(1);
    expect(takeRequests()).toEqual(Array.from({ length: pages }, () => 'POST /api/graphql 200'));
  });

  test('repo list', async () => {
    expect(columnsOf(await run('repo', 'list'))).toEqual([
      ['juniper/notebook', 'Drafts.', 'private', expect.any(String)],
    ]);
    // The first request asks which fields a repository has; `gh` caches the response.
    expect(takeRequests()).toEqual(['POST /api/graphql 200', 'POST /api/graphql 200']);
  });

  test('repo create in an organization', async () => {
    // The owner is sent as the `node_id` of the REST API.
    const { code, stdout } = await run('repo', 'create', 'harbor-lab/octant', '--public', '--disable-wiki');
    expect([code, stdout]).toEqual([0, `https://${ghHost}/harbor-lab/octant\n`]);
    expect(takeRequests()).toEqual(['GET /api/v3/users/harbor-lab 200', 'POST /api/graphql 200']);
  });

  test('repo list of an owner, with a limit', async () => {
    expect(await run('repo', 'create', 'harbor-lab/quadrant', '--private')).toMatchObject({ code: 0 });
    const all = columnsOf(await run('repo', 'list', 'harbor-lab'));
    expect(all.length).toBeGreaterThan(3);
    expect(all).toContainEqual(['harbor-lab/ledger', 'What the lab owes whom.', 'private', expect.any(String)]);
    takeRequests();
    expect(columnsOf(await run('repo', 'list', 'harbor-lab', '--limit', '3'))).toEqual(all.slice(0, 3));
    expect(takeRequests()).toEqual(['POST /api/graphql 200']);
    const published = columnsOf(await run('repo', 'list', 'harbor-lab', '--visibility', 'public'));
    expect(published).toEqual(all.filter(([, , state]) => state?.startsWith('public')));
    takeRequests();
  });

  test('repo list --fork', async () => {
    expect(columnsOf(await run('repo', 'list', 'tomas', '--fork'))).toEqual([
      ['tomas/compass', 'Which way is north, as a library.', 'public, fork', expect.any(String)],
    ]);
    expect(await run('repo', 'list', '--fork')).toEqual({ code: 0, stdout: '', stderr: '' });
    takeRequests();
  });

  test('repo list of an unknown owner prints nothing', async () => {
    expect(await run('repo', 'list', 'nobody-at-all')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(takeRequests()).toEqual(['POST /api/graphql 200']);
  });

  test('repo view', async () => {
    const { code, stdout } = await run('repo', 'view', 'harbor-lab/compass');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'name:\tharbor-lab/compass\ndescription:\tWhich way is north, as a library.\n--\n# compass\n',
    );
    expect(takeRequests()).toEqual(['POST /api/graphql 200', 'GET /api/v3/repos/harbor-lab/compass/readme 200']);
  });

  test('repo view --json', async () => {
    const { stdout } = await run('repo', 'view', 'tomas/compass', '--json', repositoryFields.join(','));
    const shown = JSON.parse(stdout);
    expect(Object.keys(shown).sort()).toEqual([...repositoryFields].sort());
    expect(shown).toMatchObject({
      id: await globalIdOf(gateway, 'tomas/compass'),
      nameWithOwner: 'tomas/compass',
      owner: { id: await globalIdOf(gateway, 'tomas'), login: 'tomas' },
      parent: { name: 'compass', owner: { login: 'harbor-lab' } },
      defaultBranchRef: { name: 'main' },
      isFork: true,
      viewerPermission: 'READ',
    });
    takeRequests();
  });

  test('repo view of an unknown repository', async () => {
    const { code, stderr } = await run('repo', 'view', 'harbor-lab/nothing');
    expect([code, stderr]).toEqual([
      1,
      "GraphQL: Could not resolve to a Repository with the name 'harbor-lab/nothing'. (repository)\n",
    ]);
    expect(takeRequests()).toEqual(['POST /api/graphql 200']);
  });

  test('repo create, archive, list --archived', async () => {
    expect(await run('repo', 'create', 'sextant', '--private', '--description', 'Angles.')).toEqual({
      code: 0,
      stdout: `https://${ghHost}/juniper/sextant\n`,
      stderr: '',
    });
    expect(takeRequests()).toEqual(['POST /api/graphql 200']);
    const again = await run('repo', 'create', 'sextant', '--private');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('GraphQL: ')]);
    expect(columnsOf(await run('repo', 'list', '--archived'))).toEqual([]);
    takeRequests();

    expect(await run('repo', 'archive', 'juniper/sextant', '--yes')).toMatchObject({ code: 0 });
    expect(takeRequests()).toEqual(['POST /api/graphql 200', 'POST /api/graphql 200']);
    // By `search`.
    expect(columnsOf(await run('repo', 'list', '--archived'))).toEqual([
      ['juniper/sextant', 'Angles.', 'private, archived', expect.any(String)],
    ]);
    const others = columnsOf(await run('repo', 'list', '--no-archived'));
    expect(others.map(([name]) => name)).toEqual(['juniper/notebook']);
    takeRequests();
  });

  test('browse', async () => {
    expect((await run('browse', '--no-browser', '--repo', 'harbor-lab/compass')).stdout.trim()).toBe(
      `https://${ghHost}/harbor-lab/compass`,
    );
    expect(takeRequests()).toEqual([]);
  });
});
