import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { PublishedSchema } from '../../contract/published-schema.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import {
  changeRef,
  commitBy,
  pushMethods,
  storedCommit,
  suitesOf,
  type TestRepository,
} from '../rules/push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, juniper, linh } = (await demoOf(gateway)).users;
const token = wren.classic_token;
const schema = new PublishedSchema((await gateway.request('/openapi/hosting.json')).json);
const appSlug = 'harbor-pilot';

let made = 0;
/** A repository with one commit on main. Juniper and Linh may write. */
async function repository(owner = 'harbor-lab'): Promise<TestRepository & { path: string }> {
  const document =
    'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { databaseId name } } }';
  const ownerId = await globalIdOf(gateway, owner);
  const input = { ownerId, name: `protected-${++made}`, visibility: 'PUBLIC' };
  const { databaseId: id, name } = (await graphql(gateway, document, token, { input })).data.createRepository
    .repository;
  const world = { owner, name, id };
  for (const login of ['juniper', 'linh']) {
    await gateway.database.read(
      sql`insert into collaborator (repository_id, account_id, role, since)
        select ${id}, id, 'write', now() from account where login = ${login} on conflict do nothing`,
    );
  }
  await commitBy(gateway, 'contents', world, { branch: 'main', token });
  return { ...world, path: `/repos/${owner}/${name}` };
}

const at = (one: { path: string }, branch = 'main') => `${one.path}/branches/${branch}/protection`;
const send = (method: string, path: string, body?: unknown, by: string | null = token) =>
  call(gateway, method, path, by === null ? undefined : `Bearer ${by}`, body);
const nothing = {
  required_status_checks: null,
  enforce_admins: null,
  required_pull_request_reviews: null,
  restrictions: null,
};
async function protect(one: { path: string }, settings: object = {}, branch = 'main') {
  const answer = await send('PUT', at(one, branch), { ...nothing, ...settings });
  expect([answer.status, answer.json.message]).toEqual([200, undefined]);
  return answer.json;
}
const messageOf = async (answer: ReturnType<typeof send>) => {
  const { status, json } = await answer;
  return [status, json.message];
};

test('a protection has its published form, and every URL in it answers', async () => {
  const world = await repository();
  expect(await messageOf(send('GET', at(world)))).toEqual([404, 'Branch not protected']);
  expect(await messageOf(send('GET', at(world, 'none')))).toEqual([404, 'Branch not found']);
  expect(await messageOf(send('DELETE', at(world)))).toEqual([404, 'Branch not protected']);
  const put = await protect(world, {
    required_status_checks: { strict: true, contexts: ['build', 'lint'] },
    enforce_admins: true,
    required_pull_request_reviews: {
      dismissal_restrictions: { users: ['juniper'], teams: [] },
      require_code_owner_reviews: true,
      required_approving_review_count: 2,
    },
    restrictions: { users: ['linh'], teams: [], apps: [appSlug] },
    required_linear_history: true,
    allow_deletions: true,
  });
  const url = `${gateway.url}${at(world)}`;
  expect(put).toMatchObject({
    url,
    required_status_checks: {
      url: `${url}/required_status_checks`,
      strict: true,
      contexts: ['build', 'lint'],
      contexts_url: `${url}/required_status_checks/contexts`,
      checks: [
        { context: 'build', app_id: null },
        { context: 'lint', app_id: null },
      ],
    },
    restrictions: { url: `${url}/restrictions`, users: [{ login: 'linh' }], teams: [], apps: [{ slug: appSlug }] },
    required_pull_request_reviews: {
      dismiss_stale_reviews: false,
      require_code_owner_reviews: true,
      required_approving_review_count: 2,
      require_last_push_approval: false,
      dismissal_restrictions: { users: [{ login: 'juniper' }], teams: [], apps: [] },
    },
    required_signatures: { url: `${url}/required_signatures`, enabled: false },
    enforce_admins: { url: `${url}/enforce_admins`, enabled: true },
    required_linear_history: { enabled: true },
    allow_force_pushes: { enabled: false },
    allow_deletions: { enabled: true },
    block_creations: { enabled: false },
    required_conversation_resolution: { enabled: false },
    lock_branch: { enabled: false },
    allow_fork_syncing: { enabled: false },
  });
  const got = (await send('GET', at(world))).json;
  expect(got).toEqual(put);
  expect(schema.problems('GET', '/repos/{owner}/{repo}/branches/{branch}/protection', 200, got)).toEqual([]);
  const urls = [...JSON.stringify(got).matchAll(/"(https?:[^"]+\/protection[^"]*)"/g)].map(([, one = '']) => one);
  expect(urls.length).toBeGreaterThan(9);
  for (const one of new Set(urls))
    expect([one, (await send('GET', one.slice(gateway.url.length))).status]).toEqual([one, 200]);
  // Absent keys get their defaults again.
  expect(Object.keys(await protect(world))).not.toContain('restrictions');
  expect((await send('DELETE', at(world))).status).toBe(204);
  expect(await messageOf(send('GET', at(world)))).toEqual([404, 'Branch not protected']);
});

test('a branch with a slash is encoded, and lists of branches know the protection', async () => {
  const world = await repository();
  const sha = await storedCommit(gateway, world, { branch: 'main' });
  await changeRef(gateway, world, 'createRef', { ref: 'refs/heads/topic/one', sha, token });
  const { url } = await protect(
    world,
    { required_status_checks: { strict: false, contexts: ['build'] } },
    'topic%2Fone',
  );
  expect(url).toBe(`${gateway.url}${at(world, 'topic%2Fone')}`);
  const { json } = await send('GET', `${world.path}/branches/topic/one`);
  expect([json.protected, json.protection]).toEqual([
    true,
    {
      enabled: true,
      required_status_checks: {
        enforcement_level: 'non_admins',
        contexts: ['build'],
        checks: [{ context: 'build', app_id: null }],
      },
    },
  ]);
  const { json: listed } = await send('GET', `${world.path}/branches?protected=true`);
  expect(listed.map((one: { name: string }) => one.name)).toEqual(['topic/one']);
  const { data } = await graphql(
    gateway,
    `query { repository(owner: "harbor-lab", name: "${world.name}") {
      branchProtectionRules { totalCount nodes { pattern isAdminEnforced } } } }`,
    token,
  );
  expect(data.repository.branchProtectionRules).toEqual({
    totalCount: 1,
    nodes: [{ pattern: 'topic/one', isAdminEnforced: false }],
  });
});

test('what a body lacks or has wrong is 422 with the published sentence', async () => {
  const world = await repository();
  expect(await messageOf(send('PUT', at(world), { enforce_admins: true }))).toEqual([
    422,
    [
      'Invalid request.',
      '',
      '"required_status_checks" wasn\'t supplied.',
      '"required_pull_request_reviews" wasn\'t supplied.',
      '"restrictions" wasn\'t supplied.',
    ].join('\n'),
  ]);
  for (const body of [
    { ...nothing, enforce_admins: 'yes' },
    { ...nothing, required_status_checks: { contexts: [] } },
    { ...nothing, required_status_checks: { strict: true, contexts: [''] } },
    { ...nothing, required_status_checks: { strict: true, checks: [{}] } },
    { ...nothing, required_pull_request_reviews: { required_approving_review_count: 7 } },
    { ...nothing, restrictions: { users: ['nobody-has-this-login'], teams: [] } },
    { ...nothing, restrictions: { users: [], teams: ['keepers'] } },
    { ...nothing, restrictions: { users: [] } },
    { ...nothing, restrictions: { users: Array.from({ length: 101 }, () => 'wren'), teams: [] } },
  ]) {
    expect([body, (await send('PUT', at(world), body)).status]).toEqual([body, 422]);
  }
  expect(await messageOf(send('GET', at(world)))).toEqual([404, 'Branch not protected']);
  const own = await repository('wren');
  expect(await messageOf(send('PUT', at(own), { ...nothing, restrictions: { users: [], teams: [] } }))).toEqual([
    422,
    'Only organization repositories can have users and team restrictions',
  ]);
  expect((await send('PUT', at(own), nothing)).status).toBe(200);
});

test('only administrators read and change a protection', async () => {
  const world = await repository();
  await protect(world);
  for (const by of [juniper.classic_token, null]) {
    for (const [method, path, body] of [
      ['GET', at(world)],
      ['PUT', at(world), nothing],
      ['DELETE', at(world)],
      ['POST', `${at(world)}/enforce_admins`],
      ['PUT', `${at(world)}/required_status_checks/contexts`, { contexts: [] }],
    ] as const) {
      const { status } = await send(method, path, body, by);
      expect([method, path, [401, 403, 404].includes(status)]).toEqual([method, path, true]);
    }
  }
  expect((await send('GET', at(world))).json.enforce_admins.enabled).toBe(false);
});

test('settings are switched one by one', async () => {
  const world = await repository();
  for (const path of ['/enforce_admins', '/required_signatures', '/required_status_checks', '/restrictions/users'])
    expect(await messageOf(send('GET', at(world) + path))).toEqual([404, 'Branch not protected']);
  await protect(world);
  for (const path of ['/enforce_admins', '/required_signatures']) {
    expect((await send('GET', at(world) + path)).json.enabled).toBe(false);
    const posted = await send('POST', at(world) + path);
    expect([posted.status, posted.json]).toEqual([200, { url: `${gateway.url}${at(world)}${path}`, enabled: true }]);
    expect((await send('GET', at(world))).json[path.slice(1)].enabled).toBe(true);
    expect((await send('DELETE', at(world) + path)).status).toBe(204);
    expect((await send('GET', at(world) + path)).json.enabled).toBe(false);
  }
  // The PUT body has no signatures: they stay as they are.
  await send('POST', `${at(world)}/required_signatures`);
  expect((await protect(world)).required_signatures.enabled).toBe(true);
});

test('required status checks and their contexts', async () => {
  const world = await repository();
  await protect(world);
  const path = `${at(world)}/required_status_checks`;
  const off = [404, 'Required status checks not enabled'];
  for (const one of ['GET', 'DELETE']) expect(await messageOf(send(one, path))).toEqual(off);
  expect(await messageOf(send('PATCH', path, { strict: true }))).toEqual(off);
  expect(await messageOf(send('POST', `${path}/contexts`, { contexts: ['a'] }))).toEqual(off);
  await protect(world, { required_status_checks: { strict: false, checks: [{ context: 'a', app_id: 7 }] } });
  expect((await send('PATCH', path, { strict: true })).json).toMatchObject({ strict: true, contexts: ['a'] });
  expect((await send('POST', `${path}/contexts`, { contexts: ['b', 'a'] })).json).toEqual(['a', 'b']);
  expect((await send('GET', path)).json.checks).toEqual([
    { context: 'a', app_id: 7 },
    { context: 'b', app_id: null },
  ]);
  expect((await send('DELETE', `${path}/contexts`, { contexts: ['a'] })).json).toEqual(['b']);
  expect((await send('PUT', `${path}/contexts`, { contexts: ['x', 'y', 'x'] })).json).toEqual(['x', 'y']);
  expect((await send('PATCH', path, { contexts: ['z'] })).json).toMatchObject({ strict: true, contexts: ['z'] });
  expect((await send('PATCH', path, { checks: [{ context: 'w', app_id: -1 }] })).json.checks).toEqual([
    { context: 'w', app_id: null },
  ]);
  expect((await send('GET', `${path}/contexts`)).json).toEqual(['w']);
  expect((await send('DELETE', path)).status).toBe(204);
  expect(await messageOf(send('GET', `${path}/contexts`))).toEqual(off);
});

test('required reviews', async () => {
  const world = await repository();
  await protect(world);
  const path = `${at(world)}/required_pull_request_reviews`;
  expect((await send('GET', path)).status).toBe(404);
  expect((await send('DELETE', path)).status).toBe(404);
  const made = (await send('PATCH', path, { dismiss_stale_reviews: true })).json;
  expect(made).toMatchObject({ dismiss_stale_reviews: true, required_approving_review_count: 1 });
  const limited = (await send('PATCH', path, { dismissal_restrictions: { users: ['linh'] } })).json;
  expect([limited.dismiss_stale_reviews, limited.dismissal_restrictions.users[0].login]).toEqual([true, 'linh']);
  expect(Object.keys((await send('PATCH', path, { dismissal_restrictions: {} })).json)).not.toContain(
    'dismissal_restrictions',
  );
  expect((await send('DELETE', path)).status).toBe(204);
  expect((await send('GET', path)).status).toBe(404);
});

test('restrictions by user and by app', async () => {
  const world = await repository();
  await protect(world);
  const path = `${at(world)}/restrictions`;
  const off = [404, 'Push restrictions not enabled'];
  for (const one of ['', '/users', '/teams', '/apps']) expect(await messageOf(send('GET', path + one))).toEqual(off);
  await protect(world, { restrictions: { users: [], teams: [] } });
  const logins = (answer: { json: { login: string }[] }) => answer.json.map(({ login }) => login);
  expect(logins(await send('POST', `${path}/users`, { users: ['linh', 'JUNIPER'] }))).toEqual(['linh', 'juniper']);
  expect(logins(await send('DELETE', `${path}/users`, { users: ['linh'] }))).toEqual(['juniper']);
  expect(logins(await send('PUT', `${path}/users`, { users: ['linh'] }))).toEqual(['linh']);
  expect(logins(await send('GET', `${path}/users`))).toEqual(['linh']);
  expect((await send('POST', `${path}/apps`, { apps: [appSlug] })).json).toMatchObject([{ slug: appSlug }]);
  expect((await send('DELETE', `${path}/apps`, { apps: [appSlug] })).json).toEqual([]);
  expect((await send('PUT', `${path}/teams`, { teams: [] })).json).toEqual([]);
  expect((await send('POST', `${path}/teams`, { teams: ['keepers'] })).status).toBe(422);
  expect((await send('DELETE', path)).status).toBe(204);
  expect(await messageOf(send('GET', path))).toEqual(off);
});

/** What pushes of a writer and of an administrator are answered. */
async function pushes(world: TestRepository, branch = 'main') {
  const outcomes = [];
  for (const by of [juniper.classic_token, token])
    outcomes.push(
      (await commitBy(gateway, 'contents', world, { branch, token: by, file: { path: `${++made}.txt` } })).went,
    );
  return outcomes;
}

test('rules of a protected branch refuse pushes of every kind, and administrators follow them only where enforced', async () => {
  const world = await repository();
  for (const settings of [{ lock_branch: true }, { required_pull_request_reviews: {} }]) {
    await protect(world, settings);
    expect(await pushes(world)).toEqual(['refused', 'done']);
    await protect(world, { ...settings, enforce_admins: true });
    expect(await pushes(world)).toEqual(['refused', 'refused']);
  }
  await send('DELETE', `${at(world)}/required_pull_request_reviews`);
  await send('POST', `${at(world)}/required_signatures`);
  for (const way of pushMethods) {
    const file = { path: `${way}.txt` };
    const outcome = await commitBy(gateway, way, world, { branch: 'main', token: juniper.classic_token, file });
    // Commits without an author of their own are signed by the service; these have one.
    expect([way, outcome.went, outcome.message]).toEqual([
      way,
      'refused',
      expect.stringContaining('verified signatures'),
    ]);
  }
  await protect(world);
  await send('DELETE', `${at(world)}/required_signatures`);
  expect(await pushes(world)).toEqual(['done', 'done']);
});

test('restrictions name who may push', async () => {
  const world = await repository();
  await protect(world, { enforce_admins: true, restrictions: { users: ['juniper'], teams: [] } });
  expect(await pushes(world)).toEqual(['done', 'refused']);
  const file = { text: 'linh\n' };
  expect((await commitBy(gateway, 'ref', world, { branch: 'main', token: linh.classic_token, file })).went).toBe(
    'refused',
  );
  await protect(world, {
    enforce_admins: true,
    required_pull_request_reviews: { bypass_pull_request_allowances: { users: ['juniper'] } },
  });
  expect(await pushes(world)).toEqual(['done', 'refused']);
});

test('force pushes, deletions and merge commits', async () => {
  const world = await repository();
  const ref = 'refs/heads/topic';
  const root = await storedCommit(gateway, world, { parents: [] });
  const first = await storedCommit(gateway, world, { parents: [root] });
  const side = await storedCommit(gateway, world, { parents: [root], file: { text: 'side\n' } });
  const merge = await storedCommit(gateway, world, { parents: [first, side] });
  const by = juniper.classic_token;
  await changeRef(gateway, world, 'createRef', { ref, sha: first, token: by });
  await protect(world, {}, 'topic');
  const went = async (verb: 'updateRef' | 'deleteRef' | 'createRef', sha?: string) =>
    (await changeRef(gateway, world, verb, { ref, token: by, ...(sha === undefined ? {} : { sha }) })).message ??
    'done';
  expect(await went('updateRef', side)).toContain('Cannot force-push to this branch');
  expect(await went('deleteRef')).toContain('Cannot delete this branch');
  await protect(world, { allow_force_pushes: true, required_linear_history: true }, 'topic');
  expect(await went('updateRef', side)).toBe('done');
  expect(await went('updateRef', merge)).toContain('merge commits');
  await protect(world, { allow_deletions: true, lock_branch: true }, 'topic');
  expect(await went('deleteRef')).toBe('done');
  // The protection remains, and is for the branch of that name, which may be created.
  expect(await messageOf(send('GET', at(world, 'topic')))).toEqual([404, 'Branch not found']);
  expect(await went('createRef', first)).toBe('done');
  expect(await went('updateRef', merge)).toContain('Cannot update this protected ref');
});

test('a new branch is checked only where creation is restricted', async () => {
  const world = await repository();
  const ref = 'refs/heads/topic';
  const sha = await storedCommit(gateway, world, { branch: 'main' });
  await changeRef(gateway, world, 'createRef', { ref, sha, token });
  await protect(
    world,
    { allow_deletions: true, block_creations: true, restrictions: { users: ['linh'], teams: [] } },
    'topic',
  );
  await changeRef(gateway, world, 'deleteRef', { ref, token });
  const create = (by: string) => changeRef(gateway, world, 'createRef', { ref, sha, token: by });
  expect(await create(juniper.classic_token)).toEqual({
    went: 'refused',
    message: expect.stringContaining('creations being restricted'),
  });
  expect((await create(linh.classic_token)).went).toBe('done');
});

test('rule suites name the protected branch as their source', async () => {
  const world = await repository();
  await protect(world, { lock_branch: true });
  await pushes(world);
  expect((await suitesOf(gateway, world)).map(({ result }) => result)).toEqual(['fail', 'bypass']);
  const path = `${world.path}/rulesets/rule-suites`;
  const [{ id }] = (await send('GET', path)).json;
  const suite = (await send('GET', `${path}/${id}`)).json;
  expect(suite.rule_evaluations).toEqual(
    [
      ['non_fast_forward', 'pass', null],
      ['deletion', 'pass', null],
      ['update', 'fail', 'Cannot update this protected ref.'],
    ].map(([rule_type, result, details]) => ({
      rule_source: { type: 'protected_branch' },
      enforcement: 'active',
      result,
      rule_type,
      details,
    })),
  );
  expect(schema.problems('GET', '/repos/{owner}/{repo}/rulesets/rule-suites/{rule_suite_id}', 200, suite)).toEqual([]);
  const { data } = await graphql(
    gateway,
    `query { repository(owner: "harbor-lab", name: "${world.name}") {
      ruleOutcomes(period: DAY) { ruleType rulesetName failCount bypassCount ruleset { name } }
      ruleSuites { nodes { evaluations { source { kind databaseId name } isRulesetDeleted ruleset { name } } } } } }`,
    token,
  );
  expect(data.repository.ruleOutcomes).toContainEqual({
    ruleType: 'UPDATE',
    rulesetName: 'main',
    failCount: 1,
    bypassCount: 1,
    ruleset: null,
  });
  expect(data.repository.ruleSuites.nodes[0].evaluations[0]).toEqual({
    source: { kind: 'PROTECTED_BRANCH', databaseId: null, name: null },
    isRulesetDeleted: false,
    ruleset: null,
  });
});

test('the protection moves with a renamed branch, which only administrators may rename', async () => {
  const world = await repository();
  const sha = await storedCommit(gateway, world, { branch: 'main' });
  await changeRef(gateway, world, 'createRef', { ref: 'refs/heads/topic', sha, token });
  await protect(world, { enforce_admins: true }, 'topic');
  const rename = (by: string) => send('POST', `${world.path}/branches/topic/rename`, { new_name: 'theme' }, by);
  expect((await rename(juniper.classic_token)).status).toBe(409);
  expect((await send('GET', at(world, 'topic'))).json.enforce_admins.enabled).toBe(true);
  expect((await rename(token)).status).toBe(201);
  expect((await send('GET', at(world, 'theme'))).json.enforce_admins.enabled).toBe(true);
});
