import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { PublishedSchema } from '../../contract/published-schema.ts';
import { testGateway } from '../../harness/gateway.ts';
import { appJwt, call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { newWorld } from '../contents/world.ts';
import { commitBy, ruleset } from './push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const { wren, juniper, linh, tomas } = demo.users;
const schema = new PublishedSchema((await gateway.request('/openapi/hosting.json')).json);
const ask = (method: string, path: string, body?: unknown, token: string | null = wren.classic_token) =>
  call(gateway, method, path, token === null ? undefined : `Bearer ${token}`, body);
const idOf = async (login: string): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select id from account where login = ${login}`.execute(
    gateway.database.sql,
  );
  return rows[0]?.id ?? 0;
};
const inLab = {
  conditions: {
    ref_name: { include: ['~ALL'], exclude: [] },
    repository_name: { include: ['nothing-*'], exclude: [] },
  },
};
const docs = (await ask('GET', '/orgs/harbor-lab/rulesets/987654321')).json.documentation_url.replace(/\/rest.*/, '');

test('a ruleset of a repository is created, read, listed, updated and deleted', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const path = `/repos/${world.owner}/${world.name}/rulesets`;
  const made = await ask('POST', path, {
    name: 'Main line',
    enforcement: 'active',
    bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'pull_request' }],
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH', 'refs/heads/release/**/*'], exclude: [] }, other: 1 },
    rules: [{ type: 'deletion', parameters: { ignored: true } }, { type: 'update' }, { type: 'non_fast_forward' }],
  });
  expect(made.status).toBe(201);
  const { id } = made.json;
  expect(Object.keys(made.json)).toEqual([
    ...['id', 'name', 'target', 'source_type', 'source', 'enforcement', 'bypass_actors', 'current_user_can_bypass'],
    ...['node_id', '_links', 'conditions', 'rules', 'created_at', 'updated_at'],
  ]);
  expect(made.json).toEqual({
    id,
    name: 'Main line',
    target: 'branch',
    source_type: 'Repository',
    source: `${world.owner}/${world.name}`,
    enforcement: 'active',
    bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'pull_request' }],
    current_user_can_bypass: 'pull_requests_only',
    node_id: Buffer.from(`RepositoryRuleset:${id}`).toString('base64url'),
    _links: {
      self: { href: `${gateway.url}${path}/${id}` },
      html: { href: `${gateway.url}/${world.owner}/${world.name}/rules/${id}` },
    },
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH', 'refs/heads/release/**/*'], exclude: [] } },
    rules: [
      { type: 'deletion' },
      { type: 'update', parameters: { update_allows_fetch_and_merge: false } },
      { type: 'non_fast_forward' },
    ],
    created_at: '2026-10-01T08:10:00Z',
    updated_at: '2026-10-01T08:10:00Z',
  });
  expect(schema.problems('POST', '/repos/{owner}/{repo}/rulesets', 201, made.json)).toEqual([]);
  expect((await ask('GET', `${path}/${id}`)).json).toEqual(made.json);
  const listed = await ask('GET', path);
  expect(listed.json).toEqual([made.json]);
  expect(schema.problems('GET', '/repos/{owner}/{repo}/rulesets', 200, listed.json)).toEqual([]);
  // Callers who cannot edit it do not see its bypass actors.
  const { bypass_actors: _, ...open } = made.json;
  for (const [token, can] of [
    [linh.classic_token, 'never'],
    [null, 'never'],
  ] as const) {
    expect((await ask('GET', `${path}/${id}`, undefined, token)).json).toEqual({
      ...open,
      current_user_can_bypass: can,
    });
  }
  const changed = await ask('PUT', `${path}/${id}`, { enforcement: 'disabled', bypass_actors: [] });
  expect(changed.json).toEqual({
    ...made.json,
    enforcement: 'disabled',
    bypass_actors: [],
    current_user_can_bypass: 'never',
  });
  expect((await ask('GET', path.replace('rulesets', 'rules/branches/main'))).json).toEqual([]);
  await ask('PUT', `${path}/${id}`, { enforcement: 'active', conditions: null });
  expect((await ask('GET', `${path}/${id}`)).json.conditions).toBeNull();
  const gone = await ask('DELETE', `${path}/${id}`);
  expect([gone.status, gone.text]).toEqual([204, '']);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const { status, json } = await ask(method, `${path}/${id}`, method === 'PUT' ? {} : undefined);
    expect([status, json.message]).toEqual([404, 'Not Found']);
  }
});

test('organization rulesets are for its administrators, and apply to its repositories', async () => {
  const body = { name: 'Lab rules', enforcement: 'active', target: 'tag', ...inLab, rules: [{ type: 'creation' }] };
  const made = await ask('POST', '/orgs/harbor-lab/rulesets', body);
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({ source_type: 'Organization', source: 'harbor-lab', bypass_actors: [] });
  expect(made.json).not.toHaveProperty('current_user_can_bypass');
  const path = `/orgs/harbor-lab/rulesets/${made.json.id}`;
  expect(made.json._links.self.href).toBe(`${gateway.url}${path}`);
  expect((await ask('GET', path)).json).toEqual(made.json);
  expect((await ask('GET', '/orgs/harbor-lab/rulesets?targets=tag')).json).toContainEqual(made.json);
  expect((await ask('GET', '/orgs/harbor-lab/rulesets?targets=branch,push')).json).not.toContainEqual(made.json);
  expect((await ask('GET', '/orgs/harbor-lab/rulesets', undefined, tomas.classic_token)).status).toBe(403);
  // Through the repository, all readers can read it and nobody can change it.
  const below = `/repos/harbor-lab/compass/rulesets/${made.json.id}`;
  const { bypass_actors: _, ...open } = made.json;
  expect((await ask('GET', below, undefined, null)).json).toEqual({ ...open, current_user_can_bypass: 'never' });
  expect((await ask('GET', below)).json).toEqual({ ...made.json, current_user_can_bypass: 'never' });
  expect((await ask('GET', `${below}?includes_parents=false`)).status).toBe(404);
  expect((await ask('PUT', below, {})).status).toBe(404);
  const ids = async (query: string) => {
    const { json } = await ask('GET', `/repos/harbor-lab/compass/rulesets${query}`);
    return json.map((one: { id: number }) => one.id);
  };
  expect(await ids('')).toContain(made.json.id);
  expect(await ids('?includes_parents=false')).not.toContain(made.json.id);
  expect((await ask('PUT', path, { name: 'Renamed' })).json).toEqual({ ...made.json, name: 'Renamed' });
  expect((await ask('DELETE', path)).status).toBe(204);
});

test('lists have pages with links by id', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  for (const name of ['a', 'b', 'c']) await ruleset(gateway, world, wren.classic_token, { name });
  const { json, headers } = await ask('GET', `/repos/${world.owner}/${world.name}/rulesets?per_page=2`);
  expect(json.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
  expect(headers.get('link')).toBe(
    `<${gateway.url}/repositories/${world.id}/rulesets?per_page=2&page=2>; rel="next", <${gateway.url}/repositories/${world.id}/rulesets?per_page=2&page=2>; rel="last"`,
  );
  expect((await ask('GET', `/repositories/${world.id}/rulesets?per_page=2&page=2`)).json).toHaveLength(1);
});

test('branch rules are those of the active rulesets that apply', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const of = (include: string[], exclude: string[] = []) => ({ conditions: { ref_name: { include, exclude } } });
  const one = await ruleset(gateway, world, wren.classic_token, {
    ...of(['refs/heads/release/**/*'], ['refs/heads/release/old']),
    rules: [
      { type: 'deletion' },
      { type: 'commit_message_pattern', parameters: { operator: 'contains', pattern: 'x', negate: null } },
    ],
  });
  await ruleset(gateway, world, wren.classic_token, {
    name: 'b',
    enforcement: 'evaluate',
    ...of(['~ALL']),
    rules: [{ type: 'update' }],
  });
  const source = { ruleset_source_type: 'Repository', ruleset_source: `${world.owner}/${world.name}`, ruleset_id: one };
  const rules = async (branch: string) =>
    (await ask('GET', `/repos/${world.owner}/${world.name}/rules/branches/${branch}`)).json;
  const both = [
    { type: 'deletion', ...source },
    { type: 'commit_message_pattern', parameters: { operator: 'contains', pattern: 'x' }, ...source },
  ];
  expect(await rules('release/1/2')).toEqual(both);
  expect(schema.problems('GET', '/repos/{owner}/{repo}/rules/branches/{branch}', 200, both)).toEqual([]);
  expect(await rules('release/old')).toEqual([]);
  expect(await rules('main')).toEqual([]);
});

describe('objects in the parameters of a rule on pull requests', () => {
  const flags = {
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: 1,
    required_review_thread_resolution: false,
  };
  const body = (parameters: object) => ({
    name: 'Reviewed',
    enforcement: 'active',
    rules: [{ type: 'pull_request', parameters: { ...flags, ...parameters } }],
  });
  const known = {
    required_reviewers: [{ reviewer: { id: 2, type: 'Team' }, file_patterns: ['*.rs'], minimum_approvals: 0 }, {}],
    dismissal_restriction: { enabled: true, allowed_actors: [{ id: 1, type: 'User' }] },
  };

  test('have the keys of the contract, and no others are kept', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    const path = `/repos/${world.owner}/${world.name}/rulesets`;
    const sent = {
      required_reviewers: [{ ...known.required_reviewers[0], other: { x: 1 } }, {}],
      dismissal_restriction: { ...known.dismissal_restriction, other: [1] },
    };
    const made = await ask('POST', path, body(sent));
    expect([made.status, made.json.rules]).toEqual([201, body(known).rules]);
    expect(Object.keys(made.json.rules[0].parameters)).toEqual([
      ...['required_reviewers', 'dismissal_restriction', 'require_code_owner_review', 'require_last_push_approval'],
      ...['dismiss_stale_reviews_on_push', 'required_approving_review_count', 'required_review_thread_resolution'],
    ]);
    expect((await ask('GET', `/repos/${world.owner}/${world.name}/rules/branches/main`)).json).toEqual([]);
    const refused = await ask(
      'POST',
      path,
      body({
        required_reviewers: [{ minimum_approvals: 11, file_patterns: 'x', reviewer: 1 }, 2],
        dismissal_restriction: { allowed_actors: {}, enabled: 'x' },
      }),
    );
    const at = 'properties/rules/items/properties/parameters/properties';
    expect([refused.status, refused.json.message.split('\n')]).toEqual([
      422,
      [
        'Invalid request.',
        '',
        `For '${at}/dismissal_restriction/properties/allowed_actors', {} is not an array.`,
        `For '${at}/dismissal_restriction/properties/enabled', x is not a boolean.`,
        `For '${at}/required_reviewers/items/properties/file_patterns', x is not an array.`,
        '11 must be less than or equal to 10.',
        `For '${at}/required_reviewers/items/properties/reviewer', 1 is not an object.`,
        `For '${at}/required_reviewers/items', 2 is not an object.`,
      ],
    ]);
  });

  test('are read without what does not fit them, where they were stored as they were sent', async () => {
    const world = await newWorld(gateway, wren.classic_token);
    const path = `/repos/${world.owner}/${world.name}/rulesets`;
    const { json } = await ask('POST', path, body({}));
    const stored = {
      ...flags,
      required_reviewers: [{ ...known.required_reviewers[0], minimum_approvals: 'many' }, { any: null }],
      dismissal_restriction: { enabled: 1, allowed_actors: [{ id: 1, type: 'User' }, { id: {} }] },
    };
    await sql`update ruleset set rules = ${JSON.stringify([{ type: 'pull_request', parameters: stored }])}
      where id = ${json.id}`.execute(gateway.database.sql);
    expect((await ask('GET', `${path}/${json.id}`)).json.rules[0].parameters).toEqual({
      ...flags,
      required_reviewers: [{ reviewer: { id: 2, type: 'Team' }, file_patterns: ['*.rs'] }, {}],
      dismissal_restriction: { allowed_actors: [{ id: 1, type: 'User' }, {}] },
    });
  });
});

const problem = (message: unknown) => ({ resource: 'Ruleset', code: 'custom', message });

describe('validation errors', () => {
  const world = newWorld(gateway, wren.classic_token);
  const invalid = (...lines: string[]) => ({ message: ['Invalid request.', '', ...lines].join('\n') });
  const failed = (...messages: string[]) => ({ message: 'Validation Failed', errors: messages.map(problem) });
  const good = { name: 'x', enforcement: 'active' };
  const rule = (type: string, parameters?: object) => ({ ...good, rules: [{ type, parameters }] });
  const push = (type: string, parameters: object) => ({ ...rule(type, parameters), target: 'push' });
  const refs = (...include: string[]) => ({ ...good, conditions: { ref_name: { include } } });
  const regex = (pattern: string) => rule('commit_message_pattern', { operator: 'regex', pattern });
  const actor = (one: object) => ({ ...good, bypass_actors: [one] });
  const queue = {
    check_response_timeout_minutes: 361,
    grouping_strategy: 'NONE',
    max_entries_to_build: 101,
    max_entries_to_merge: -1,
    merge_method: 'MERGE',
    min_entries_to_merge: 1.5,
  };

  test.each<[string, object, object]>([
    ['no name', { enforcement: 'active' }, invalid('"name" wasn\'t supplied.')],
    ['an empty name', { ...good, name: ' ' }, failed("Name can't be blank")],
    [
      'a long name',
      { ...good, name: 'x'.repeat(101) },
      invalid("For 'properties/name', the text must have at most 100 characters."),
    ],
    ['no enforcement', { name: 'x' }, invalid('"enforcement" wasn\'t supplied.')],
    [
      'a wrong enforcement',
      { ...good, enforcement: 'on' },
      invalid('on is not a member of ["active", "evaluate", "disabled"].'),
    ],
    [
      'a wrong target',
      { ...good, target: 'x' },
      invalid('x is not a member of ["branch", "tag", "push", "repository"].'),
    ],
    [
      'a target that is none here',
      { ...good, target: 'repository' },
      failed("Invalid target 'repository': what happens to repositories themselves is not judged here."),
    ],
    ['rules that are no list', { ...good, rules: {} }, invalid("For 'properties/rules', {} is not an array.")],
    ['a rule without a type', { ...good, rules: [{}] }, invalid('"type" wasn\'t supplied.')],
    [
      'too many rules',
      { ...good, rules: Array.from({ length: 51 }, () => ({ type: 'update' })) },
      invalid('51 must be less than or equal to 50.'),
    ],
    ['a pattern that is none', refs('main'), failed("Invalid target patterns: 'main'")],
    [
      'patterns that are none',
      refs('refs/heads/[', '~SOME', '~ALL'),
      failed("Invalid target patterns: 'refs/heads/[', '~SOME'"),
    ],
    [
      'the default branch among tags',
      { ...refs('~DEFAULT_BRANCH'), target: 'tag' },
      failed("Invalid target patterns: '~DEFAULT_BRANCH'"),
    ],
    [
      'refs of a push',
      { ...refs('~ALL'), target: 'push' },
      failed("Invalid conditions: rulesets of the target push have no 'ref_name'."),
    ],
    [
      'repositories of a repository',
      { ...good, conditions: { repository_id: { repository_ids: [1] } } },
      failed('Invalid conditions: rulesets of a repository name no repositories.'),
    ],
    [
      'properties',
      { ...good, conditions: { repository_property: {} } },
      failed("Invalid conditions: 'repository_property' is not supported here, for repositories have no properties."),
    ],
    ['no parameters', rule('max_file_size'), invalid('"parameters" wasn\'t supplied.')],
    [
      'missing parameters',
      rule('pull_request', {}),
      invalid(
        ...[
          'dismiss_stale_reviews_on_push',
          'require_code_owner_review',
          'require_last_push_approval',
          'required_approving_review_count',
          'required_review_thread_resolution',
        ].map(one => `"${one}" wasn't supplied.`),
      ),
    ],
    [
      'numbers out of range',
      rule('merge_queue', queue),
      invalid(
        '361 must be less than or equal to 360.',
        'NONE is not a member of ["ALLGREEN", "HEADGREEN"].',
        '101 must be less than or equal to 100.',
        '-1 must be greater than or equal to 0.',
        "For 'properties/rules/items/properties/parameters/properties/min_entries_to_merge', 1.5 is not an integer.",
        '"min_entries_to_merge_wait_minutes" wasn\'t supplied.',
      ),
    ],
    [
      'a file too large to be',
      push('max_file_size', { max_file_size: 101 }),
      invalid('101 must be less than or equal to 100.'),
    ],
    [
      'a path too long to be',
      push('max_file_path_length', { max_file_path_length: 32_768 }),
      invalid('32768 must be less than or equal to 32767.'),
    ],
    [
      'a file rule of branches',
      rule('max_file_size', { max_file_size: 1 }),
      failed("Invalid rule 'max_file_size': it is for the target push."),
    ],
    [
      'a tag rule of branches',
      rule('tag_name_pattern', { operator: 'contains', pattern: 'x' }),
      failed("Invalid rule 'tag_name_pattern': it is for the target tag."),
    ],
    [
      'bad paths',
      push('file_path_restriction', { restricted_file_paths: ['a', '[', ''] }),
      failed("Invalid rule 'file_path_restriction': invalid paths: '[', ''"),
    ],
    [
      'bad extensions',
      push('file_extension_restriction', { restricted_file_extensions: ['a', 'b/c', '*'] }),
      failed("Invalid rule 'file_extension_restriction': invalid extensions: 'b/c', '*'"),
    ],
    [
      'a wrong operator',
      rule('commit_message_pattern', { operator: 'is', pattern: 'x' }),
      invalid('is is not a member of ["starts_with", "ends_with", "contains", "regex"].'),
    ],
    [
      'a pattern too long',
      regex('x'.repeat(512)),
      invalid(
        "For 'properties/rules/items/properties/parameters/properties/pattern', the text must have at most 511 characters.",
      ),
    ],
    ['an empty pattern', regex(''), failed("Invalid rule 'commit_message_pattern': the pattern is empty.")],
    [
      'a bad expression',
      regex('(a'),
      failed("Invalid rule 'commit_message_pattern': invalid regular expression: missing closing ): `(a`"),
    ],
    [
      'a large expression',
      regex('[^x]{1,1000}'.repeat(9)),
      failed("Invalid rule 'commit_message_pattern': invalid regular expression: the expression is too large"),
    ],
    [
      'a null character',
      regex('a\0'),
      invalid(
        "For 'properties/rules/items/properties/parameters/properties/pattern', a text cannot hold a null character.",
      ),
    ],
    [
      'a team',
      actor({ actor_id: 1, actor_type: 'Team' }),
      failed('Invalid bypass actor: Team is not supported here, for there are no teams.'),
    ],
    [
      'a deploy key',
      actor({ actor_type: 'DeployKey' }),
      failed('Invalid bypass actor: DeployKey is not supported here, for there are no deploy keys.'),
    ],
    [
      'an unknown kind',
      actor({ actor_type: 'Ghost' }),
      invalid(
        'Ghost is not a member of ["Integration", "OrganizationAdmin", "RepositoryRole", "Team", "DeployKey", "User"].',
      ),
    ],
    [
      'an unknown user',
      actor({ actor_id: 987_654_321, actor_type: 'User' }),
      failed('Invalid bypass actor: there is no user 987654321.'),
    ],
    [
      'an app that is not there',
      actor({ actor_id: 987_654_321, actor_type: 'Integration' }),
      failed('Invalid bypass actor: the app 987654321 is not installed here.'),
    ],
    ['no number', actor({ actor_type: 'User' }), invalid('"actor_id" wasn\'t supplied.')],
    [
      'a role that is none',
      actor({ actor_id: 9, actor_type: 'RepositoryRole' }),
      failed('Invalid bypass actor: there is no repository role 9 that pushes; 2, 4 and 5 are there.'),
    ],
    [
      'administrators of a user',
      actor({ actor_type: 'OrganizationAdmin' }),
      failed('Invalid bypass actor: OrganizationAdmin needs an organization.'),
    ],
    [
      'pull requests of tags',
      { ...actor({ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'pull_request' }), target: 'tag' },
      failed('Invalid bypass actor: the mode pull_request is for rulesets of branches.'),
    ],
  ])('%s', async (_, body, expected) => {
    const { owner, name } = await world;
    const { status, json } = await ask('POST', `/repos/${owner}/${name}/rulesets`, body);
    const page = `${docs}/rest/repos/rules#create-a-repository-ruleset`;
    expect({ status, json }).toEqual({ status: 422, json: { ...expected, documentation_url: page, status: '422' } });
  });

  test.each([
    'required_status_checks',
    'required_deployments',
    'workflows',
    'code_scanning',
    'license_compliance_scanning',
    'copilot_code_review',
  ])('%s is not supported, and rejected by name', async type => {
    const { owner, name } = await world;
    const { status, json } = await ask('POST', `/repos/${owner}/${name}/rulesets`, rule(type));
    expect([status, json.errors]).toEqual([
      422,
      [problem(expect.stringMatching(`^Invalid rule '${type}': it is not supported here, for there`))],
    ]);
  });

  test('an organization ruleset names repositories in one way', async () => {
    const told = "Invalid conditions: rulesets of an organization have one of 'repository_name' and 'repository_id'.";
    const both = { repository_id: { repository_ids: [1] }, repository_name: { include: ['~ALL'], exclude: [] } };
    for (const conditions of [{}, null, both]) {
      const { status, json } = await ask('POST', '/orgs/harbor-lab/rulesets', { ...good, conditions });
      expect([status, json.errors]).toEqual([422, [problem(told)]]);
    }
    const { json } = await ask('POST', '/orgs/harbor-lab/rulesets', { ...rule('merge_queue', { ...queue }), ...inLab });
    expect(json.message).toMatch(/^Invalid request/);
  });

  test('two rulesets with one name, case-insensitive', async () => {
    const own = await newWorld(gateway, wren.classic_token);
    const path = `/repos/${own.owner}/${own.name}/rulesets`;
    const answers = await Promise.all(['One', 'one', 'ONE'].map(name => ask('POST', path, { ...good, name })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
    expect(answers.find(({ status }) => status === 422)?.json.errors).toEqual([problem('Name must be unique')]);
  });

  test('more rulesets than a source can have', async () => {
    const own = await newWorld(gateway, wren.classic_token);
    await sql`insert into ruleset (repository_id, name, target, enforcement, created_at, updated_at)
      select ${own.id}, 'r' || n, 'branch', 'disabled', now(), now() from generate_series(1, 74) n`.execute(
      gateway.database.sql,
    );
    const path = `/repos/${own.owner}/${own.name}/rulesets`;
    const answers = await Promise.all(['a', 'b', 'c'].map(name => ask('POST', path, { ...good, name })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
  });

  test('by callers without access', async () => {
    const { owner, name } = await world;
    for (const [token, status] of [
      [null, 403],
      [linh.classic_token, 403],
    ] as const) {
      expect((await ask('POST', `/repos/${owner}/${name}/rulesets`, good, token)).status).toBe(status);
    }
    expect((await ask('GET', '/repos/northgate/vault/rulesets', undefined, linh.classic_token)).status).toBe(404);
    expect((await ask('GET', '/repos/harbor-lab/compass/rulesets/x')).status).toBe(404);
  });
});

describe('bypass actors', () => {
  const branch = 'main';
  const prepared = async (bypass_actors: object[]) => {
    const { json } = await ask('POST', '/graphql', {
      query:
        'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { databaseId name } } }',
      variables: {
        input: { ownerId: await globalIdOf(gateway, 'harbor-lab'), name: `bypass-${++made}`, visibility: 'PUBLIC' },
      },
    });
    const { databaseId: id, name } = json.data.createRepository.repository;
    const world = { owner: 'harbor-lab', name, id };
    await commitBy(gateway, 'commit', world, { branch, token: wren.classic_token });
    const conditions = { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } };
    const own = await ruleset(gateway, world, wren.classic_token, {
      bypass_actors,
      conditions,
      rules: [{ type: 'update' }],
    });
    return { world, own };
  };
  let made = 0;
  const tryAs = async (bypass: object[], token: string) => {
    const { world, own } = await prepared(bypass);
    await sql`insert into collaborator (repository_id, account_id, role, since)
      values (${world.id}, ${await idOf('juniper')}, 'maintain', now()), (${world.id}, ${await idOf('linh')}, 'write', now())`.execute(
      gateway.database.sql,
    );
    const { went } = await commitBy(gateway, 'commit', world, { branch, token, file: { path: 'second' } });
    const { rows } = await sql<{
      result: string;
      actor: number | null;
      app: number | null;
    }>`select result, actor_id as actor,
      app_id as app from rule_suite where repository_id = ${world.id}`.execute(gateway.database.sql);
    const read = await ask('GET', `/repos/harbor-lab/${world.name}/rulesets/${own}`, undefined, token);
    return { went, suites: rows, can: read.json.current_user_can_bypass };
  };
  const role = (actor_id: number, bypass_mode = 'always') => ({ actor_id, actor_type: 'RepositoryRole', bypass_mode });
  const admins = (bypass_mode: string) => ({ actor_id: 1, actor_type: 'OrganizationAdmin', bypass_mode });

  test.each<[string, object[], 'wren' | 'juniper' | 'linh', string, string[], string]>([
    ['nobody', [], 'wren', 'refused', ['fail'], 'never'],
    ['administrators', [admins('always')], 'wren', 'done', ['bypass'], 'always'],
    ['administrators only', [admins('always')], 'juniper', 'refused', ['fail'], 'never'],
    [
      'by pull request, which a push is not',
      [admins('pull_request')],
      'wren',
      'refused',
      ['fail'],
      'pull_requests_only',
    ],
    ['exempt, so that no rule is asked', [admins('exempt')], 'wren', 'done', [], 'exempt'],
    ['the best way counts', [admins('pull_request'), role(5)], 'wren', 'done', ['bypass'], 'always'],
    ['a role', [role(2)], 'juniper', 'done', ['bypass'], 'always'],
    ['a role includes those below it', [role(4)], 'juniper', 'done', ['bypass'], 'always'],
    ['a role is not one below it', [role(5)], 'juniper', 'refused', ['fail'], 'never'],
    ['writers', [role(4)], 'linh', 'done', ['bypass'], 'always'],
  ])('%s', async (_, bypass, login, went, results, can) => {
    const token = { wren, juniper, linh }[login].classic_token;
    const tried = await tryAs(bypass, token);
    expect(tried).toMatchObject({ went, can });
    expect(tried.suites.map(({ result }) => result)).toEqual(results);
  });

  test('an app, and the user that is not it', async () => {
    const app = { actor_id: demo.app.id, actor_type: 'Integration', bypass_mode: 'always' };
    const made = await call(
      gateway,
      'POST',
      `/app/installations/${demo.app.installation_id}/access_tokens`,
      `Bearer ${await appJwt(gateway, demo)}`,
    );
    const tried = await tryAs([app], made.json.token);
    expect(tried).toEqual({
      went: 'done',
      suites: [{ result: 'bypass', actor: null, app: demo.app.id }],
      can: 'always',
    });
    expect((await tryAs([app], wren.classic_token)).went).toBe('refused');
  });
});

test('the graph has the same for dashboards', async () => {
  const world = await newWorld(gateway, wren.classic_token);
  const sourceId = encodeGlobalId('Repository', world.id);
  const create = (rules: string) =>
    graphql(
      gateway,
      `mutation($sourceId: ID!) { createRepositoryRuleset(input: { sourceId: $sourceId, name: "By graph", enforcement: ACTIVE,
        conditions: { refName: { include: ["~ALL"], exclude: [] } }, rules: [${rules}] }) {
          ruleset { databaseId name rules { nodes { type parameters { ... on CommitMessagePatternParameters { operator pattern negate name } } } }
            conditions { refName { include exclude } repositoryName { include } } bypassActors { totalCount } currentUserCanBypass
            source { __typename ... on Repository { name } } } } }`,
      wren.classic_token,
      { sourceId },
    );
  const made = await create('{ type: MAX_FILE_PATH_LENGTH }');
  expect(made.errors[0].message).toBe('Invalid request.\n\n"parameters" wasn\'t supplied.');
  const { data } = await create(
    '{ type: COMMIT_MESSAGE_PATTERN, parameters: { commitMessagePattern: { operator: "contains", pattern: "x" } } }',
  );
  const { databaseId, ...rest } = data.createRepositoryRuleset.ruleset;
  expect(rest).toEqual({
    name: 'By graph',
    rules: {
      nodes: [
        {
          type: 'COMMIT_MESSAGE_PATTERN',
          parameters: { operator: 'contains', pattern: 'x', negate: false, name: null },
        },
      ],
    },
    conditions: { refName: { include: ['~ALL'], exclude: [] }, repositoryName: null },
    bypassActors: { totalCount: 0 },
    currentUserCanBypass: 'NEVER',
    source: { __typename: 'Repository', name: world.name },
  });
  const seen = await graphql(
    gateway,
    `{ repository(owner: "${world.owner}", name: "${world.name}") { rulesets { nodes { databaseId } totalCount } ruleSuites { nodes { databaseId } } }
       organization(login: "harbor-lab") { rulesets { totalCount } ruleSuites { totalCount } } }`,
    juniper.classic_token,
  );
  expect(seen.data).toEqual({
    repository: { rulesets: { nodes: [{ databaseId }], totalCount: 1 }, ruleSuites: null },
    organization: { rulesets: null, ruleSuites: null },
  });
  // The scope of the token is checked before rows are read; the role in the repository hides its suites.
  const codes = seen.errors.map(({ path, extensions }: { path: string[]; extensions: { code: string } }) => [
    path.join('.'),
    extensions.code,
  ]);
  expect(codes).toEqual([
    ['organization.rulesets', 'FORBIDDEN'],
    ['organization.ruleSuites', 'NOT_FOUND'],
  ]);
});
