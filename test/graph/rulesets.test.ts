import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeCursor } from '../../schema/vocabulary/cursor.ts';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { unsupportedTypes } from '../../src/hosting/rulesets/rule-parameters.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, graphql } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';
import { commitBy, ruleset } from '../hosting/rules/push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const { wren, juniper, linh } = demo.users;
const token = wren.classic_token;
const codeOf = ({ errors }: { errors?: { extensions: { code: string } }[] }) => errors?.[0]?.extensions.code;
const accountId = async (login: string): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select id from account where login = ${login}`.execute(
    gateway.database.sql,
  );
  return rows[0]?.id ?? 0;
};
const repositoryId = async (name: string): Promise<number> => {
  const { rows } = await sql<{ id: number }>`select id from repository where name = ${name}`.execute(
    gateway.database.sql,
  );
  return rows[0]?.id ?? 0;
};
const lab = encodeGlobalId('Organization', await accountId('harbor-lab'));
const sourceOf = ({ id }: Pick<World, 'id'>): string => encodeGlobalId('Repository', id);
const everyRef = { refName: { include: ['~ALL'], exclude: [] } };

const parameters = `__typename
  ... on UpdateParameters { updateAllowsFetchAndMerge }
  ... on PullRequestParameters { allowedMergeMethods dismissStaleReviewsOnPush requireCodeOwnerReview requireLastPushApproval
    requiredApprovingReviewCount requiredReviewThreadResolution
    requiredReviewers { filePatterns minimumApprovals reviewer { databaseId type } }
    dismissalRestriction { enabled allowedActors { databaseId type } } }
  ... on MergeQueueParameters { checkResponseTimeoutMinutes groupingStrategy maxEntriesToBuild maxEntriesToMerge mergeMethod
    minEntriesToMerge minEntriesToMergeWaitMinutes }
  ... on CommitMessagePatternParameters { name negate operator pattern }
  ... on CommitAuthorEmailPatternParameters { name negate operator pattern }
  ... on CommitterEmailPatternParameters { name negate operator pattern }
  ... on BranchNamePatternParameters { name negate operator pattern }
  ... on TagNamePatternParameters { name negate operator pattern }
  ... on FilePathRestrictionParameters { restrictedFilePaths }
  ... on MaxFilePathLengthParameters { maxFilePathLength }
  ... on FileExtensionRestrictionParameters { restrictedFileExtensions }
  ... on MaxFileSizeParameters { maxFileSize }`;
const whole = `id databaseId name target enforcement createdAt updatedAt
  source { __typename ... on Repository { name } ... on Organization { login } }
  conditions { refName { include exclude } repositoryName { include exclude protected } repositoryId { repositoryIds } }
  rules(first: 50) { totalCount nodes { id type repositoryRuleset { databaseId } parameters { ${parameters} } } }
  bypassActors { nodes { id bypassMode organizationAdmin repositoryRoleDatabaseId repositoryRoleName
    actor { __typename ... on User { login } ... on App { slug } } } }`;

const create = (input: object, by: string | undefined = token) =>
  graphql(
    gateway,
    `mutation($input: CreateRepositoryRulesetInput!) { createRepositoryRuleset(input: $input) { clientMutationId ruleset { ${whole} } } }`,
    by,
    { input },
  );
const update = (input: object, by: string | undefined = token) =>
  graphql(
    gateway,
    `mutation($input: UpdateRepositoryRulesetInput!) { updateRepositoryRuleset(input: $input) { ruleset { ${whole} } } }`,
    by,
    { input },
  );
const remove = (repositoryRulesetId: string, by: string | undefined = token) =>
  graphql(
    gateway,
    'mutation($input: DeleteRepositoryRulesetInput!) { deleteRepositoryRuleset(input: $input) { deletedId } }',
    by,
    { input: { repositoryRulesetId } },
  );

const pattern = { operator: 'contains', pattern: 'x', negate: true, name: 'A name' };
const queue = {
  checkResponseTimeoutMinutes: 60,
  groupingStrategy: 'ALLGREEN',
  maxEntriesToBuild: 5,
  maxEntriesToMerge: 5,
  mergeMethod: 'SQUASH',
  minEntriesToMerge: 1,
  minEntriesToMergeWaitMinutes: 5,
};
const review = {
  allowedMergeMethods: ['squash', 'rebase'],
  dismissStaleReviewsOnPush: true,
  requireCodeOwnerReview: false,
  requireLastPushApproval: true,
  requiredApprovingReviewCount: 2,
  requiredReviewThreadResolution: false,
  requiredReviewers: [
    { filePatterns: ['*.rs', 'docs/**'], minimumApprovals: 1, reviewer: { databaseId: 7, type: 'Team' } },
  ],
  dismissalRestriction: { enabled: true, allowedActors: [{ databaseId: 1, type: 'User' }] },
};

/** Target, type, name of the field of the parameters, parameters, and what the REST API publishes. */
type RuleCase = [target: string, type: string, field?: string, given?: object, published?: object];
const cases: RuleCase[] = [
  ['BRANCH', 'CREATION'],
  ['BRANCH', 'DELETION'],
  ['TAG', 'NON_FAST_FORWARD'],
  ['BRANCH', 'REQUIRED_LINEAR_HISTORY'],
  ['BRANCH', 'REQUIRED_SIGNATURES'],
  ['BRANCH', 'UPDATE', 'update', { updateAllowsFetchAndMerge: true }, { update_allows_fetch_and_merge: true }],
  [
    'BRANCH',
    'PULL_REQUEST',
    'pullRequest',
    review,
    {
      allowed_merge_methods: ['squash', 'rebase'],
      dismiss_stale_reviews_on_push: true,
      require_code_owner_review: false,
      require_last_push_approval: true,
      required_approving_review_count: 2,
      required_review_thread_resolution: false,
      required_reviewers: [
        { file_patterns: ['*.rs', 'docs/**'], minimum_approvals: 1, reviewer: { id: 7, type: 'Team' } },
      ],
      dismissal_restriction: { enabled: true, allowed_actors: [{ id: 1, type: 'User' }] },
    },
  ],
  [
    'BRANCH',
    'MERGE_QUEUE',
    'mergeQueue',
    queue,
    {
      check_response_timeout_minutes: 60,
      grouping_strategy: 'ALLGREEN',
      max_entries_to_build: 5,
      max_entries_to_merge: 5,
      merge_method: 'SQUASH',
      min_entries_to_merge: 1,
      min_entries_to_merge_wait_minutes: 5,
    },
  ],
  ['BRANCH', 'COMMIT_MESSAGE_PATTERN', 'commitMessagePattern', pattern, pattern],
  ['BRANCH', 'COMMIT_AUTHOR_EMAIL_PATTERN', 'commitAuthorEmailPattern', pattern, pattern],
  ['BRANCH', 'COMMITTER_EMAIL_PATTERN', 'committerEmailPattern', pattern, pattern],
  ['BRANCH', 'BRANCH_NAME_PATTERN', 'branchNamePattern', pattern, pattern],
  ['TAG', 'TAG_NAME_PATTERN', 'tagNamePattern', pattern, pattern],
  [
    'PUSH',
    'FILE_PATH_RESTRICTION',
    'filePathRestriction',
    { restrictedFilePaths: ['a/*'] },
    { restricted_file_paths: ['a/*'] },
  ],
  ['PUSH', 'MAX_FILE_PATH_LENGTH', 'maxFilePathLength', { maxFilePathLength: 9 }, { max_file_path_length: 9 }],
  [
    'PUSH',
    'FILE_EXTENSION_RESTRICTION',
    'fileExtensionRestriction',
    { restrictedFileExtensions: ['jar'] },
    { restricted_file_extensions: ['jar'] },
  ],
  ['PUSH', 'MAX_FILE_SIZE', 'maxFileSize', { maxFileSize: 7 }, { max_file_size: 7 }],
];

describe('a rule goes in by the graph, out by the REST API and out by the graph', () => {
  test('every type is here', async () => {
    const { data } = await graphql(gateway, '{ __type(name: "RepositoryRuleType") { enumValues { name } } }');
    const names = data.__type.enumValues.map(({ name }: { name: string }) => name);
    const isSupported = (name: string) => !unsupportedTypes.has(name.toLowerCase());
    expect(cases.map(([, type]) => type).sort()).toEqual(names.filter(isSupported).sort());
  });

  // In an array of its own: jest takes a missing argument for a callback.
  test.each(cases.map(one => [`${one[0]} ${one[1]}`, one] as const))('%s', async (_, ruleCase) => {
    const [target, type, field, given, published] = ruleCase;
    const world = await newWorld(gateway, token);
    const conditions = target === 'PUSH' ? {} : everyRef;
    const rules = [field === undefined ? { type } : { type, parameters: { [field]: given } }];
    const made = await create({
      sourceId: sourceOf(world),
      name: type,
      target,
      enforcement: 'EVALUATE',
      conditions,
      rules,
    });
    expect(made.errors).toBeUndefined();
    const { ruleset: one } = made.data.createRepositoryRuleset;
    const { json } = await world.get(`/rulesets/${one.databaseId}`);
    expect(json).toMatchObject({
      node_id: one.id,
      target: target.toLowerCase(),
      enforcement: 'evaluate',
      rules: [published ? { type: type.toLowerCase(), parameters: published } : { type: type.toLowerCase() }],
    });
    expect(Object.keys(json.rules[0])).toEqual(published ? ['type', 'parameters'] : ['type']);
    const typeName = field && `${field.charAt(0).toUpperCase()}${field.slice(1)}Parameters`;
    const [rule] = one.rules.nodes;
    expect(rule).toMatchObject({ type, parameters: given ? { __typename: typeName, ...given } : null });
    expect(one).toMatchObject({
      target,
      enforcement: 'EVALUATE',
      source: { __typename: 'Repository', name: world.name },
    });
    // By their ids, and written back as they were read.
    const again = await graphql(
      gateway,
      `query($id: ID!, $ofRule: ID!) { node(id: $id) { ... on RepositoryRuleset { ${whole} } }
        rule: node(id: $ofRule) { ... on RepositoryRule { id type } } }`,
      token,
      { id: one.id, ofRule: rule.id },
    );
    expect(again.data).toEqual({ node: one, rule: { id: rule.id, type } });
    const back = await update({ repositoryRulesetId: one.id, rules: [{ ...rules[0], id: rule.id }] });
    expect(back.data.updateRepositoryRuleset.ruleset.rules).toEqual(one.rules);
  });
});

test('rulesets of organizations: conditions, actors, change and deletion', async () => {
  const compass = encodeGlobalId('Repository', await repositoryId('compass'));
  const actorId = encodeGlobalId('User', await accountId('juniper'));
  const made = await create({
    clientMutationId: 'mine',
    sourceId: lab,
    name: 'By graph',
    enforcement: 'DISABLED',
    conditions: { ...everyRef, repositoryId: { repositoryIds: [compass] } },
    rules: [{ type: 'DELETION' }, { type: 'CREATION' }],
    bypassActors: [
      { organizationAdmin: true, bypassMode: 'ALWAYS' },
      { repositoryRoleDatabaseId: 4, bypassMode: 'PULL_REQUEST' },
      { actorId, bypassMode: 'EXEMPT' },
      { actorId: encodeGlobalId('App', demo.app.id ?? 0), bypassMode: 'ALWAYS' },
    ],
  });
  expect(made.errors).toBeUndefined();
  expect(made.data.createRepositoryRuleset.clientMutationId).toBe('mine');
  const { ruleset: one } = made.data.createRepositoryRuleset;
  const none = { organizationAdmin: false, repositoryRoleDatabaseId: null, repositoryRoleName: null, actor: null };
  expect(one).toMatchObject({
    source: { __typename: 'Organization', login: 'harbor-lab' },
    conditions: { ...everyRef, repositoryName: null, repositoryId: { repositoryIds: [compass] } },
    bypassActors: {
      nodes: [
        { ...none, bypassMode: 'ALWAYS', organizationAdmin: true },
        { ...none, bypassMode: 'PULL_REQUEST', repositoryRoleDatabaseId: 4, repositoryRoleName: 'write' },
        { ...none, bypassMode: 'EXEMPT', actor: { __typename: 'User', login: 'juniper' } },
        { ...none, bypassMode: 'ALWAYS', actor: { __typename: 'App', slug: expect.any(String) } },
      ],
    },
  });
  const published = (await call(gateway, 'GET', `/orgs/harbor-lab/rulesets/${one.databaseId}`, `Bearer ${token}`)).json;
  expect(published.bypass_actors.map((actor: { actor_type: string }) => actor.actor_type)).toEqual([
    'OrganizationAdmin',
    'RepositoryRole',
    'User',
    'Integration',
  ]);
  const changed = await update({
    repositoryRulesetId: one.id,
    name: 'Renamed',
    bypassActors: [],
    conditions: { ...everyRef, repositoryName: { include: ['~ALL'], exclude: ['x-*'] } },
  });
  expect(changed.data.updateRepositoryRuleset.ruleset).toMatchObject({
    name: 'Renamed',
    enforcement: 'DISABLED',
    rules: one.rules,
    bypassActors: { nodes: [] },
    conditions: {
      ...everyRef,
      repositoryId: null,
      repositoryName: { include: ['~ALL'], exclude: ['x-*'], protected: false },
    },
  });
  const found = await graphql(
    gateway,
    `query($id: Int!) { organization(login: "harbor-lab") { ruleset(databaseId: $id) { name } rulesets(targets: [TAG]) { totalCount } }
      repository(owner: "harbor-lab", name: "compass") { own: ruleset(databaseId: $id, includeParents: false) { name }
        ruleset(databaseId: $id) { name rules(type: CREATION) { totalCount nodes { type } } bypassActors { totalCount } } } }`,
    linh.classic_token,
    { id: one.databaseId },
  );
  // Readers of a repository read the rulesets that apply to it, without their bypass actors.
  expect(found.data).toEqual({
    organization: { ruleset: null, rulesets: null },
    repository: {
      own: null,
      ruleset: { name: 'Renamed', rules: { totalCount: 1, nodes: [{ type: 'CREATION' }] }, bypassActors: null },
    },
  });
  expect((await remove(one.id)).data.deleteRepositoryRuleset).toEqual({ deletedId: one.id });
  expect(codeOf(await remove(one.id))).toBe('NOT_FOUND');
});

describe('what is refused', () => {
  const world = newWorld(gateway, token);
  const base = async () => ({
    sourceId: sourceOf(await world),
    name: 'Bad',
    enforcement: 'ACTIVE',
    conditions: everyRef,
  });

  test.each([
    ['an unknown parameter', { rules: [{ type: 'MAX_FILE_SIZE', parameters: { maxFileSize: { size: 1 } } }] }],
    ['an unknown type', { rules: [{ type: 'MAGIC' }] }],
    [
      'parameters of another rule type',
      { rules: [{ type: 'CREATION', parameters: { maxFileSize: { maxFileSize: 1 } } }] },
    ],
    [
      'parameters of two rule types',
      {
        rules: [
          {
            type: 'MAX_FILE_SIZE',
            parameters: { maxFileSize: { maxFileSize: 1 }, maxFilePathLength: { maxFilePathLength: 1 } },
          },
        ],
      },
    ],
    [
      'a rule of another ruleset',
      { rules: [{ type: 'CREATION', id: encodeGlobalId('RepositoryRule', '1:creation:0') }] },
    ],
    ['a source of another kind', { sourceId: encodeGlobalId('User', 1) }],
    ['a source that is no id', { sourceId: 'nothing' }],
    [
      'two actors in one',
      { bypassActors: [{ organizationAdmin: true, repositoryRoleDatabaseId: 4, bypassMode: 'ALWAYS' }] },
    ],
    [
      'a type of actor beside another field',
      { bypassActors: [{ organizationAdmin: true, actorType: 'USER', actorDatabaseId: 1 }] },
    ],
    ['a number of no type', { bypassActors: [{ organizationAdmin: true, actorDatabaseId: 1 }] }],
    [
      'repositories by ids and by numbers',
      { conditions: { repositoryId: { repositoryIds: [], repositoryDatabaseIds: [1] } } },
    ],
    ['no actor', { bypassActors: [{ bypassMode: 'ALWAYS' }] }],
    ['an actor of another kind', { bypassActors: [{ actorId: lab, bypassMode: 'ALWAYS' }] }],
    ['repositories of another kind', { conditions: { repositoryId: { repositoryIds: [lab] } } }],
  ])('%s', async (_, part) => {
    expect(codeOf(await create({ ...(await base()), ...part }))).toBe('BAD_USER_INPUT');
  });

  test.each([
    ['deploy keys', { bypassActors: [{ deployKey: true, bypassMode: 'ALWAYS' }] }],
    [
      'a number out of range',
      {
        target: 'PUSH',
        conditions: {},
        rules: [{ type: 'MAX_FILE_SIZE', parameters: { maxFileSize: { maxFileSize: 101 } } }],
      },
    ],
    ['an unsupported type', { rules: [{ type: 'WORKFLOWS' }] }],
    ['an unsupported kind of actor', { bypassActors: [{ actorType: 'TEAM', actorDatabaseId: 1 }] }],
    ['an unsupported target', { target: 'REPOSITORY' }],
    ['a rule of another target', { rules: [{ type: 'TAG_NAME_PATTERN', parameters: { tagNamePattern: pattern } }] }],
  ])('%s', async (_, part) => {
    expect(codeOf(await create({ ...(await base()), ...part }))).toBe('RULE_BROKEN');
  });

  test('ids of other kinds, and a cursor of another list', async () => {
    for (const id of [lab, 'nothing', encodeGlobalId('RuleSuite', 1)]) {
      expect(codeOf(await update({ repositoryRulesetId: id }))).toBe('BAD_USER_INPUT');
      expect(codeOf(await remove(id))).toBe('BAD_USER_INPUT');
    }
    const { owner, name } = await world;
    const lists = (after: string) =>
      graphql(
        gateway,
        `query($after: String) { repository(owner: "${owner}", name: "${name}") { rulesets(after: $after) { totalCount } } }`,
        token,
        { after },
      );
    expect(codeOf(await lists(encodeCursor('RuleSuiteConnection', 1)))).toBe('BAD_USER_INPUT');
    expect(codeOf(await lists(encodeCursor('RepositoryRulesetConnection', 1)))).toBeUndefined();
    const nodes = await graphql(gateway, 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }', token, {
      ids: [
        encodeGlobalId('RepositoryRuleset', 987654321),
        encodeGlobalId('RepositoryRule', '987654321:creation:0'),
        encodeGlobalId('RepositoryRule', 'x'),
        encodeGlobalId('RepositoryRulesetBypassActor', '0:User-1:0'),
        encodeGlobalId('RuleSuite', 987654321),
      ],
    });
    expect(nodes.data).toEqual({ nodes: [null, null, null, null, null] });
  });
});

test('who may write and see: the permission is that of the source', async () => {
  const world = await newWorld(gateway, token, { isPrivate: true });
  const input = { name: 'Mine', enforcement: 'ACTIVE', conditions: everyRef };
  const [{ ruleset: own }, { ruleset: ofLab }] = [
    (
      await create({
        ...input,
        sourceId: sourceOf(world),
        bypassActors: [{ repositoryRoleDatabaseId: 5, bypassMode: 'ALWAYS' }],
      })
    ).data.createRepositoryRuleset,
    (
      await create({
        ...input,
        sourceId: lab,
        conditions: { ...everyRef, repositoryName: { include: ['nothing-*'], exclude: [] } },
      })
    ).data.createRepositoryRuleset,
  ];
  const compass = encodeGlobalId('Repository', await repositoryId('compass'));
  const code = async (by: string | undefined, sourceId: string) =>
    codeOf(
      await graphql(
        gateway,
        'mutation($input: CreateRepositoryRulesetInput!) { createRepositoryRuleset(input: $input) { ruleset { id } } }',
        by,
        { input: { ...input, sourceId } },
      ),
    );
  expect(await code(undefined, compass)).toBe('UNAUTHENTICATED');
  expect(await code(undefined, lab)).toBe('UNAUTHENTICATED');
  expect(await code(linh.classic_token, compass)).toBe('FORBIDDEN');
  expect(await code(linh.classic_token, sourceOf(world))).toBe('NOT_FOUND');
  expect(['FORBIDDEN', 'NOT_FOUND']).toContain(await code(linh.classic_token, lab));
  expect(['FORBIDDEN', 'NOT_FOUND']).toContain(await code(juniper.classic_token, lab));
  for (const id of [own.id, ofLab.id]) {
    expect(
      codeOf(
        await graphql(
          gateway,
          'mutation($id: ID!) { deleteRepositoryRuleset(input: { repositoryRulesetId: $id }) { deletedId } }',
          undefined,
          { id },
        ),
      ),
    ).toBe('UNAUTHENTICATED');
    expect(codeOf(await remove(id, linh.classic_token))).toBe('NOT_FOUND');
    expect(codeOf(await update({ repositoryRulesetId: id, name: 'x' }, linh.classic_token))).toBe('NOT_FOUND');
    for (const by of [linh.classic_token, juniper.classic_token, undefined])
      expect((await graphql(gateway, 'query($id: ID!) { node(id: $id) { id } }', by, { id })).data).toEqual({
        node: null,
      });
    expect((await graphql(gateway, 'query($id: ID!) { node(id: $id) { id } }', token, { id })).data.node).toEqual({
      id,
    });
  }
  const actor = own.bypassActors.nodes[0].id;
  const read = (by: string) => graphql(gateway, 'query($id: ID!) { node(id: $id) { id } }', by, { id: actor });
  expect((await read(token)).data.node).toEqual({ id: actor });
  expect((await read(linh.classic_token)).data.node).toBeNull();
  for (const id of [own.id, ofLab.id]) expect(codeOf(await remove(id))).toBeUndefined();
});

describe('below a list of parents', () => {
  /** Statements of a query with the first repository and with many. */
  const statementsOf = async (selection: string, by = token) => {
    const count = async (first: number) => {
      let data: unknown;
      const sent = await gateway.statements(async () => {
        const answer = await graphql(
          gateway,
          `{ repositoryOwner(login: "wren") { repositories(first: ${first}) { nodes { ${selection} } } } }`,
          by,
        );
        expect(answer.errors).toBeUndefined();
        data = answer.data.repositoryOwner.repositories.nodes;
      });
      return { statements: sent.length, data };
    };
    const [one, many] = [await count(1), await count(12)];
    expect((many.data as unknown[]).length).toBeGreaterThan(5);
    return [one.statements, many.statements];
  };

  test.each([
    ['rulesets', 'rulesets(first: 3) { totalCount nodes { name rules { nodes { type } } } }', 3],
    ['one ruleset', 'ruleset(databaseId: 1) { name }', 1],
    ['bypass actors', 'rulesets { nodes { currentUserCanBypass bypassActors { nodes { actor { __typename } } } } }', 4],
    ['rules of a branch', 'branchRules(branch: "main") { totalCount nodes { type repositoryRuleset { name } } }', 4],
    [
      'rule suites',
      'ruleSuites(first: 3, period: MONTH) { totalCount nodes { result evaluations { ruleType ruleset { name } } } }',
      5,
    ],
    ['one rule suite', 'ruleSuite(databaseId: 1) { ref }', 2],
    ['outcomes', 'ruleOutcomes(period: MONTH) { ruleType passCount ruleset { name } }', 3],
  ])('%s are read in a constant number of statements', async (_, selection, more) => {
    for (let at = 0; at < 6; at++) {
      const world = await newWorld(gateway, token);
      await ruleset(gateway, world, token, {
        bypass_actors: [{ actor_id: await accountId('juniper'), actor_type: 'User', bypass_mode: 'always' }],
        conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
        rules: [{ type: 'deletion' }],
      });
      await commitBy(gateway, 'contents', world, { branch: 'main', token });
    }
    const [one = 0, many = 0] = await statementsOf(selection);
    const [, base = 0] = await statementsOf('name');
    expect(many - base).toBeLessThanOrEqual(more + 2);
    expect(many).toBeLessThanOrEqual(one + 1);
  });
});

test('rule suites and outcomes of an organization', async () => {
  const seen = await graphql(
    gateway,
    `{ organization(login: "harbor-lab") {
        ruleSuites(result: FAIL, period: MONTH) { totalCount nodes { id databaseId ref result evaluationResult beforeOid afterOid pushedAt
          actor { login } repository { name } evaluations { ruleType result enforcement rulesetName isRulesetDeleted ruleset { name } details } } }
        ruleOutcomes(period: MONTH) { ruleType rulesetName passCount failCount bypassCount ruleset { name } } } }`,
    token,
  );
  expect(seen.errors).toBeUndefined();
  const { ruleSuites, ruleOutcomes } = seen.data.organization;
  expect(ruleSuites.totalCount).toBe(1);
  const [suite] = ruleSuites.nodes;
  expect(suite).toMatchObject({
    ref: 'refs/heads/main',
    result: 'FAIL',
    evaluationResult: 'FAIL',
    afterOid: null,
    repository: { name: 'tides' },
  });
  expect(suite.evaluations).toContainEqual(
    expect.objectContaining({ ruleType: 'DELETION', result: 'FAIL', enforcement: 'ACTIVE', isRulesetDeleted: false }),
  );
  expect(ruleOutcomes).toContainEqual({
    ruleType: 'CREATION',
    rulesetName: 'Main line',
    passCount: expect.any(Number),
    failCount: 0,
    bypassCount: 1,
    ruleset: { name: 'Main line' },
  });
  const same = `{ organization(login: "harbor-lab") { ruleSuite(databaseId: ${suite.databaseId}) { id } }
    repository(owner: "harbor-lab", name: "tides") { ruleSuite(databaseId: ${suite.databaseId}) { id } ruleOutcomes(period: MONTH) { ruleType } }
    other: repository(owner: "harbor-lab", name: "compass") { ruleSuite(databaseId: ${suite.databaseId}) { id } }
    node(id: "${suite.id}") { id } }`;
  const mine = await graphql(gateway, same, token);
  expect(mine.data).toMatchObject({
    organization: { ruleSuite: { id: suite.id } },
    repository: { ruleSuite: { id: suite.id } },
    other: { ruleSuite: null },
    node: { id: suite.id },
  });
  expect((await graphql(gateway, same, linh.classic_token)).data).toEqual({
    organization: { ruleSuite: null },
    repository: { ruleSuite: null, ruleOutcomes: null },
    other: { ruleSuite: null },
    node: null,
  });
});
