import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId, encodeNamedId } from '../../schema/vocabulary/global-id.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf, globalIdOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, juniper, tomas, linh, okello } = (await demoOf(gateway)).users;
const idOf = (path: string): Promise<string> => globalIdOf(gateway, path);
const db = gateway.database.sql;

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: each document has a shape of its own.
  data: any;
  errors?: { message: string; extensions: { code: string } }[];
}
const ask = (query: string, token?: string, variables?: Record<string, unknown>): Promise<Answer> =>
  graphql(gateway, query, token, variables);
const answerTo = async (...args: Parameters<typeof ask>) => {
  const { data, errors } = await ask(...args);
  expect(errors).toBeUndefined();
  return data;
};
const codeOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).errors?.[0]?.extensions.code;

const listed = 'nameWithOwner,description,isPrivate,isFork,isArchived,createdAt,pushedAt,visibility';

/** Documents as the program `gh` sends them. */
const documents = {
  list: `query RepositoryList($perPage:Int!,$endCursor:String,$privacy:RepositoryPrivacy,$fork:Boolean) {
    repositoryOwner: viewer { login
      repositories(first: $perPage, after: $endCursor, privacy: $privacy, isFork: $fork, ownerAffiliations: OWNER,
        orderBy: { field: PUSHED_AT, direction: DESC }) {
        nodes{${listed}} totalCount pageInfo{hasNextPage,endCursor} } } }`,
  listOfOwner: `query RepositoryList($owner:String!,$perPage:Int!,$endCursor:String,$privacy:RepositoryPrivacy,$fork:Boolean) {
    repositoryOwner(login: $owner) { login
      repositories(first: $perPage, after: $endCursor, privacy: $privacy, isFork: $fork, ownerAffiliations: OWNER,
        orderBy: { field: PUSHED_AT, direction: DESC }) {
        nodes{${listed}} totalCount pageInfo{hasNextPage,endCursor} } } }`,
  search: `query RepositoryListSearch($query:String!,$perPage:Int!,$endCursor:String) {
    search(type: REPOSITORY, query: $query, first: $perPage, after: $endCursor) {
      repositoryCount nodes{...on Repository{${listed}}} pageInfo{hasNextPage,endCursor} } }`,
  view: `query RepositoryInfo($owner: String!, $name: String!) {
    repository(owner: $owner, name: $name) {name,owner{id,login},description,isArchived,id} }`,
  create: `mutation RepositoryCreate($input: CreateRepositoryInput!) {
    createRepository(input: $input) { repository { id name owner { login } url } } }`,
  archive:
    'mutation ArchiveRepository($input:ArchiveRepositoryInput!){archiveRepository(input: $input){repository{id}}}',
  clone: `fragment repo on Repository {
      id name owner { login } hasIssuesEnabled description hasWikiEnabled viewerPermission
    }
    query RepositoryInfo($owner: String!, $name: String!) {
      repository(owner: $owner, name: $name) {
        ...repo parent { ...repo } mergeCommitAllowed rebaseMergeAllowed squashMergeAllowed } }`,
  fields: `query RepositoryInfo($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
    primaryLanguage{name} languages(first:100){edges{size,node{name}}} repositoryTopics(first:100){nodes{topic{name}}}
    licenseInfo{key,name,nickname} parent{id,name,owner{id,login}} templateRepository{id,name,owner{id,login}} owner{id,login}
    watchers{totalCount} name nameWithOwner id url sshUrl description homepageUrl createdAt updatedAt pushedAt diskUsage
    forkCount stargazerCount isArchived isEmpty isFork isInOrganization isMirror mirrorUrl isPrivate isTemplate hasIssuesEnabled
    hasProjectsEnabled hasWikiEnabled hasDiscussionsEnabled mergeCommitAllowed rebaseMergeAllowed squashMergeAllowed
    deleteBranchOnMerge viewerCanAdminister viewerHasStarred viewerPermission viewerSubscription } }`,
};

/** Names of the repositories of a list. */
const namesOf = ({ nodes }: { nodes: { nameWithOwner: string }[] }): string[] => nodes.map(one => one.nameWithOwner);

test('the type has the fields that gh looks for', async () => {
  const query =
    'query Repository_fields{Repository: __type(name: "Repository"){fields(includeDeprecated: true){name}}}';
  const { Repository } = await answerTo(query);
  expect(Repository.fields).toEqual(expect.arrayContaining([{ name: 'visibility' }, { name: 'id' }]));
});

test('the caller and an owner list their repositories, by page and filter', async () => {
  const own = await answerTo(documents.list, juniper.classic_token, { perPage: 30, privacy: 'PRIVATE' });
  expect(own.repositoryOwner).toMatchObject({ login: 'juniper', repositories: { totalCount: 1 } });
  expect(own.repositoryOwner.repositories.nodes).toEqual([
    expect.objectContaining({ nameWithOwner: 'juniper/notebook', isPrivate: true, visibility: 'PRIVATE' }),
  ]);
  const variables = { owner: 'harbor-lab', perPage: 1 };
  const { repositoryOwner: lab } = await answerTo(documents.listOfOwner, juniper.classic_token, variables);
  expect(lab.repositories).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
  const after = lab.repositories.pageInfo.endCursor;
  const more = { owner: 'harbor-lab', perPage: 100, endCursor: after };
  const rest = (await answerTo(documents.listOfOwner, juniper.classic_token, more)).repositoryOwner.repositories;
  expect(rest.pageInfo.hasNextPage).toBe(false);
  expect([...namesOf(lab.repositories), ...namesOf(rest)].toSorted()).toEqual([
    'harbor-lab/compass',
    'harbor-lab/ledger',
    'harbor-lab/tides',
  ]);
  const forks = await answerTo(documents.listOfOwner, undefined, { owner: 'tomas', perPage: 9, fork: true });
  expect(namesOf(forks.repositoryOwner.repositories)).toEqual(['tomas/compass']);
});

test('relations other than ownership are in the list of the caller alone', async () => {
  const query = `{ user(login: "juniper") { repositories(first: 100, ownerAffiliations: [OWNER, COLLABORATOR, ORGANIZATION_MEMBER]) {
    nodes { nameWithOwner } } } viewer { repositories(affiliations: [OWNER]) { totalCount } } }`;
  const own = namesOf((await answerTo(query, juniper.classic_token)).user.repositories);
  expect(own).toEqual(expect.arrayContaining(['juniper/notebook', 'harbor-lab/ledger', 'harbor-lab/compass']));
  expect(namesOf((await answerTo(query, wren.classic_token)).user.repositories)).toEqual([]);
  expect((await answerTo(query, juniper.classic_token)).viewer.repositories.totalCount).toBe(1);
});

test('orders of repositories', async () => {
  const by = async (field: string, direction: string) =>
    namesOf(
      (
        await answerTo(
          `{ organization(login: "harbor-lab") { repositories(orderBy: { field: ${field}, direction: ${direction} }) {
            nodes { nameWithOwner } } } }`,
        )
      ).organization.repositories,
    );
  expect((await by('STARGAZERS', 'DESC'))[0]).toBe('harbor-lab/compass');
  for (const field of ['NAME', 'NAME_WITH_OWNER'])
    expect(await by(field, 'DESC')).toEqual(['harbor-lab/tides', 'harbor-lab/compass']);
  for (const field of ['CREATED_AT', 'UPDATED_AT', 'PUSHED_AT']) expect(await by(field, 'ASC')).toHaveLength(2);
});

test('gh repo view, clone and --json', async () => {
  const compass = { owner: 'Harbor-Lab', name: 'COMPASS' };
  const { repository } = await answerTo(documents.view, linh.classic_token, compass);
  expect(repository).toMatchObject({
    name: 'compass',
    owner: { login: 'harbor-lab' },
    id: await idOf('harbor-lab/compass'),
  });
  expect(repository.owner.id).toBe(await idOf('harbor-lab'));
  expect(await ask(documents.view, linh.classic_token, { owner: 'harbor-lab', name: 'nothing' })).toEqual({
    data: { repository: null },
    errors: [expect.objectContaining({ type: 'NOT_FOUND', path: ['repository'] })],
  });
  const fork = { owner: 'tomas', name: 'compass' };
  expect((await answerTo(documents.clone, linh.classic_token, fork)).repository).toMatchObject({
    viewerPermission: 'READ',
    hasIssuesEnabled: false,
    parent: { owner: { login: 'harbor-lab' }, name: 'compass' },
  });
  expect((await answerTo(documents.fields, wren.classic_token, compass)).repository).toMatchObject({
    primaryLanguage: { name: 'TypeScript' },
    languages: { edges: expect.arrayContaining([{ size: expect.any(Number), node: { name: 'TypeScript' } }]) },
    repositoryTopics: { nodes: [{ topic: { name: 'maps' } }, { topic: { name: 'library' } }] },
    licenseInfo: null,
    url: `${gateway.url}/harbor-lab/compass`,
    sshUrl: expect.stringMatching(/^http:.*\/harbor-lab\/compass\.git$/),
    isInOrganization: true,
    isEmpty: false,
    stargazerCount: 3,
    forkCount: 1,
    watchers: { totalCount: 1 },
    viewerCanAdminister: true,
    viewerPermission: 'ADMIN',
    viewerSubscription: expect.stringMatching(/SUBSCRIBED$/),
  });
});

test('anonymous callers have no permission and no subscription', async () => {
  const query = `{ repository(owner: "harbor-lab", name: "compass") {
    viewerPermission viewerCanAdminister viewerSubscription viewerCanSubscribe viewerHasStarred collaborators { totalCount } } }`;
  expect((await answerTo(query)).repository).toEqual({
    viewerPermission: null,
    viewerCanAdminister: false,
    viewerSubscription: null,
    viewerCanSubscribe: false,
    viewerHasStarred: false,
    collaborators: null,
  });
});

test('gh repo create and archive', async () => {
  const input = {
    name: 'demo',
    homepageUrl: 'http://x.example',
    description: 'x',
    visibility: 'PRIVATE',
    ownerId: await idOf('harbor-lab'),
    hasIssuesEnabled: true,
    hasWikiEnabled: true,
    template: true,
    clientMutationId: 'one',
  };
  const { repository } = (await answerTo(documents.create, wren.classic_token, { input })).createRepository;
  const url = `${gateway.url}/harbor-lab/demo`;
  expect(repository).toEqual({ id: await idOf('harbor-lab/demo'), name: 'demo', owner: { login: 'harbor-lab' }, url });
  const archived = { input: { repositoryId: repository.id } };
  expect(await answerTo(documents.archive, wren.classic_token, archived)).toEqual({
    archiveRepository: { repository: { id: repository.id } },
  });
  const query = `{ node(id: "${repository.id}") { id ... on Repository { isArchived isTemplate isEmpty homepageUrl visibility } } }`;
  expect((await answerTo(query, wren.classic_token)).node).toMatchObject({
    isArchived: true,
    isTemplate: true,
    isEmpty: true,
    homepageUrl: 'http://x.example',
    visibility: 'PRIVATE',
  });
});

test('settings change together or not at all', async () => {
  const id = await idOf('wren/dotfiles');
  const update = (input: string) => `mutation { updateRepository(input: { repositoryId: "${id}", ${input} }) {
    repository { name description homepageUrl visibility isTemplate } } }`;
  const changed = await answerTo(
    update('name: "dots", description: "New", homepageUrl: "https://x.example", visibility: PRIVATE'),
    wren.classic_token,
  );
  expect(changed.updateRepository.repository).toEqual({
    name: 'dots',
    description: 'New',
    homepageUrl: 'https://x.example',
    visibility: 'PRIVATE',
    isTemplate: false,
  });
  await answerTo(documents.create, wren.classic_token, { input: { name: 'taken', visibility: 'PUBLIC' } });
  expect(await codeOf(update('name: "taken", description: "Other", visibility: PUBLIC'), wren.classic_token)).toBe(
    'RULE_BROKEN',
  );
  const restored = await answerTo(update('name: "dotfiles", description: "", homepageUrl: null'), wren.classic_token);
  expect(restored.updateRepository.repository).toMatchObject({
    name: 'dotfiles',
    description: null,
    homepageUrl: null,
    visibility: 'PRIVATE',
  });
  await answerTo(update('visibility: PUBLIC'), wren.classic_token);
});

test('a repository with a README, its default branch, and its archive', async () => {
  const created = await answerTo(
    'mutation { createRepository(input: { name: "read-me", hasReadme: true, homepageUrl: "x.example" }) { repository { id visibility isEmpty homepageUrl } } }',
    wren.classic_token,
  );
  const { id, ...facts } = created.createRepository.repository;
  expect(facts).toEqual({ visibility: 'PUBLIC', isEmpty: false, homepageUrl: 'x.example' });
  const update = (input: string) => `mutation { updateRepository(input: { repositoryId: "${id}", ${input} }) {
    repository { isArchived homepageUrl defaultBranchRef { name } } } }`;
  expect(await codeOf(update('isArchived: true, defaultBranch: "absent"'), wren.classic_token)).toBe('RULE_BROKEN');
  const changed = await answerTo(
    update('isArchived: true, defaultBranch: "main", homepageUrl: ""'),
    wren.classic_token,
  );
  expect(changed.updateRepository.repository).toEqual({
    isArchived: true,
    homepageUrl: null,
    defaultBranchRef: { name: 'main' },
  });
});

test.each([
  ['an organization', encodeNamedId('Organization', ['Harbor-Lab']), 'harbor-lab'],
  ['an owner of any kind', encodeNamedId('RepositoryOwner', ['harbor-lab']), 'harbor-lab'],
  ['a user', encodeNamedId('User', ['wren']), 'wren'],
  ['a user in the place of an organization', encodeNamedId('Organization', ['wren']), 'NOT_FOUND'],
  ['nobody', encodeNamedId('RepositoryOwner', ['nobody-there']), 'NOT_FOUND'],
  ['a repository', encodeNamedId('Repository', ['harbor-lab', 'compass']), 'BAD_USER_INPUT'],
])('an owner is named by a global id that is made of the login of %s', async (_who, ownerId, expected) => {
  const create = `mutation { createRepository(input: { name: "named-${expected.toLowerCase()}-${Buffer.from(ownerId).length}", ownerId: "${ownerId}" }) {
    repository { owner { login } } } }`;
  const answer = await graphql(gateway, create, wren.classic_token);
  expect(answer.data.createRepository?.repository.owner.login ?? answer.errors[0].extensions.code).toBe(expected);
});

test('a former name finds a repository unless the caller says no', async () => {
  const query = (owner: string, more: string) => `{ repository(owner: "${owner}", name: "needle"${more}) { name }
    repositoryOwner(login: "harbor-lab") { repository(name: "Needle"${more}) { name } } }`;
  const found = { name: 'compass' };
  expect(await answerTo(query('harbor-lab', ''))).toEqual({
    repository: found,
    repositoryOwner: { repository: found },
  });
  const { data, errors } = await ask(query('harbor-lab', ', followRenames: false'));
  expect(data).toEqual({ repository: null, repositoryOwner: { repository: null } });
  expect(errors).toEqual([expect.objectContaining({ type: 'NOT_FOUND', path: ['repository'] })]);
});

test('search by owner, words, topics, forks and order', async () => {
  const search = async (query: string, token = juniper.classic_token) => {
    const { search: found } = await answerTo(documents.search, token, { query, perPage: 30 });
    expect(found.repositoryCount).toBe(found.nodes.length);
    return namesOf(found);
  };
  expect(await search('user:@me fork:true sort:updated-desc')).toEqual(['juniper/notebook']);
  expect(await search('compass org:harbor-lab is:public')).toEqual(['harbor-lab/compass']);
  expect(await search('compass fork:only in:name')).toEqual(['tomas/compass']);
  expect(await search('topic:maps archived:false')).toEqual(['harbor-lab/compass']);
  expect(await search('language:go')).toEqual([]);
  expect(await search('compass language:typescript')).toEqual(['harbor-lab/compass']);
  expect(await search('"is north"')).toEqual(['harbor-lab/compass']);
  expect(await search('100%_')).toEqual([]);
  const issues = await answerTo(
    '{ search(type: ISSUE, query: "user:wren unknown:x", first: 5) { nodes { __typename } totalCount } }',
  );
  expect(issues.search).toEqual({ nodes: [], totalCount: 0 });
});

test('stars, watchers and collaborators, with what their edges know', async () => {
  const query = `{ repository(owner: "harbor-lab", name: "tides") {
    stargazers(first: 10, orderBy: { field: STARRED_AT, direction: ASC }) { totalCount edges { starredAt node { login } } nodes { login } }
    collaborators(affiliation: DIRECT) { edges { permission node { login } } }
    one: collaborators(login: "LINH") { totalCount } none: collaborators(query: "%") { totalCount } } }`;
  await sql`insert into star (account_id, repository_id, starred_at)
    select a.id, r.id, '2026-09-01' from account a, repository r where a.login = 'okello' and r.name = 'tides'
    on conflict do nothing`.execute(db);
  const { repository } = await answerTo(query, wren.classic_token);
  expect(repository.stargazers.edges).toContainEqual({
    starredAt: '2026-09-01T00:00:00.000000Z',
    node: { login: 'okello' },
  });
  expect(repository.stargazers.nodes).toHaveLength(repository.stargazers.totalCount);
  expect(repository.collaborators.edges).toContainEqual({ permission: 'MAINTAIN', node: { login: 'linh' } });
  expect([repository.one.totalCount, repository.none.totalCount]).toEqual([1, 0]);
  expect((await answerTo(query, okello.classic_token)).repository.collaborators).toBeNull();
  const starred = `{ user(login: "okello") { starredRepositories { edges { starredAt node { nameWithOwner } } }
    watching { totalCount } } }`;
  expect((await answerTo(starred)).user.starredRepositories.edges).toContainEqual({
    starredAt: '2026-09-01T00:00:00.000000Z',
    node: { nameWithOwner: 'harbor-lab/tides' },
  });
});

test('whether a user has starred or watches a repository, of those that the caller can see', async () => {
  const [tides, ledger] = [await idOf('harbor-lab/tides'), await idOf('harbor-lab/ledger')];
  await sql`insert into star (account_id, repository_id, starred_at) select a.id, r.id, now() from account a, repository r
    where a.login = 'wren' and r.name in ('tides', 'ledger') on conflict do nothing`.execute(db);
  await sql`insert into watch (account_id, repository_id, watched_at) select a.id, r.id, '2026-09-02' from account a, repository r
    where a.login = 'wren' and r.name in ('tides', 'ledger') on conflict (account_id, repository_id) do update set watched_at = '2026-09-02'`.execute(
    db,
  );
  const query = `{ user(login: "wren") {
    tides: hasStarred(starrableId: "${tides}") ledger: hasStarred(starrableId: "${ledger}")
    watched: subscription(subscribableId: "${tides}") { isSubscribed createdAt resourcePath }
    hidden: subscription(subscribableId: "${ledger}") { createdAt } } }`;
  const watched = { isSubscribed: true, createdAt: '2026-09-02T00:00:00.000000Z', resourcePath: '/harbor-lab/tides' };
  const own = { tides: true, ledger: true, watched, hidden: { createdAt: '2026-09-02T00:00:00.000000Z' } };
  expect((await answerTo(query, wren.classic_token)).user).toEqual(own);
  expect((await answerTo(query)).user).toEqual({ tides: true, ledger: false, watched, hidden: null });
  expect((await answerTo(query.replace('wren', 'tomas'))).user).toMatchObject({ tides: false, watched: null });
});

test('stars in the order of the last change of the repositories', async () => {
  const query = (direction: string) =>
    `{ user(login: "wren") { starredRepositories(first: 100, orderBy: { field: UPDATED_AT, direction: ${direction} }) { nodes { updatedAt } } } }`;
  const times = async (direction: string): Promise<string[]> =>
    (await answerTo(query(direction), wren.classic_token)).user.starredRepositories.nodes.map(
      ({ updatedAt }: { updatedAt: string }) => updatedAt,
    );
  const [up, down] = [await times('ASC'), await times('DESC')];
  expect(up.length).toBeGreaterThan(1);
  expect(up).toEqual(up.toSorted());
  expect(down).toEqual(up.toReversed());
});

test('access of users, for those who can push', async () => {
  const query = (login: string) => `{ repository(owner: "harbor-lab", name: "tides") {
    access(login: "${login}") { role basePermission isCollaborator permissions { push maintain } user { login name } } } }`;
  const accessOf = async (login: string, token?: string) => (await answerTo(query(login), token)).repository.access;
  expect(await accessOf('LINH', wren.classic_token)).toEqual({
    role: 'MAINTAIN',
    basePermission: 'WRITE',
    isCollaborator: true,
    permissions: { push: true, maintain: true },
    user: { login: 'linh', name: expect.any(String) },
  });
  expect(await accessOf('okello', wren.classic_token)).toMatchObject({ role: 'READ', isCollaborator: false });
  expect(await accessOf('wren', linh.classic_token)).toMatchObject({ role: 'ADMIN', basePermission: 'ADMIN' });
  for (const login of ['nobody-there', 'harbor-lab', '', '%'])
    expect(await accessOf(login, wren.classic_token)).toBeNull();
  expect(await accessOf('linh', okello.classic_token)).toBeNull();
  expect(await accessOf('linh')).toBeNull();
});

test('access to many repositories is one statement, and that of collaborators none', async () => {
  const many = (first: number) => `{ organization(login: "harbor-lab") { repositories(first: ${first}) {
    nodes { access(login: "linh") { role user { name } } } } } }`;
  const statements = async (first: number) =>
    (await gateway.statements(() => answerTo(many(first), wren.classic_token))).length;
  expect(await statements(100)).toBe(await statements(1));
  const edges = (fields: string) =>
    `{ repository(owner: "harbor-lab", name: "tides") { collaborators(leastPermission: MAINTAIN) { edges { ${fields} } } } }`;
  const ofNodes = await gateway.statements(() => answerTo(edges('node { name }'), wren.classic_token));
  const ofUsers = await gateway.statements(() => answerTo(edges('access { role user { name } }'), wren.classic_token));
  expect(ofUsers).toHaveLength(ofNodes.length);
  const { repository } = await answerTo(edges('access { role user { login } }'), wren.classic_token);
  expect(repository.collaborators.edges).toEqual([
    { access: { role: 'MAINTAIN', user: { login: 'linh' } } },
    { access: { role: 'ADMIN', user: { login: 'wren' } } },
  ]);
});

test('contributors with their accounts', async () => {
  const query = `{ repository(owner: "harbor-lab", name: "compass") {
    contributors { totalCount nodes { user { login } } }
    all: contributors(includeAnonymous: true) { totalCount nodes { contributions name email user { login } } } } }`;
  const { contributors, all } = (await answerTo(query)).repository;
  expect(contributors.nodes.filter(({ user }: { user: unknown }) => user === null)).toEqual([]);
  expect(all.totalCount).toBeGreaterThan(contributors.totalCount);
  const [first] = all.nodes.filter(({ user }: { user: unknown }) => user === null);
  expect(first).toEqual({
    contributions: expect.any(Number),
    name: expect.any(String),
    email: expect.any(String),
    user: null,
  });
});

test('repositories that were changed in a time', async () => {
  const query = `{ viewer { none: repositories(updatedSince: "2100-01-01T00:00:00Z") { totalCount }
    all: repositories { totalCount } before: repositories(updatedBefore: "2100-01-01T00:00:00Z") { totalCount } } }`;
  const { viewer } = await answerTo(query, juniper.classic_token);
  expect(viewer.none.totalCount).toBe(0);
  expect(viewer.before.totalCount).toBe(viewer.all.totalCount);
});

test('lists of everything have keys as cursors, in both directions', async () => {
  for (const [list, field] of [
    ['accounts', 'login'],
    ['organizations', 'login'],
    ['publicRepositories', 'nameWithOwner'],
  ]) {
    const page = async (args: string) =>
      (
        await answerTo(`{ list: ${list}(${args}) { totalCount nodes { ${field} } edges { cursor }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`)
      ).list;
    const all = await page('first: 100');
    expect(all.nodes).toHaveLength(all.totalCount);
    const first = await page('first: 1');
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = await page(`first: 1, after: "${first.pageInfo.endCursor}"`);
    expect([first.nodes[0], second.nodes[0]]).toEqual(all.nodes.slice(0, 2));
    const before = await page(`last: 1, before: "${second.pageInfo.startCursor}"`);
    expect(before.nodes).toEqual(first.nodes);
    const last = await page('last: 1');
    expect(last.nodes).toEqual(all.nodes.slice(-1));
    expect(await codeOf(`{ ${list}(after: "${Buffer.from('Other@1').toString('base64url')}") { totalCount } }`)).toBe(
      'BAD_USER_INPUT',
    );
  }
});

test('a private repository of others appears nowhere', async () => {
  const secret = await idOf('juniper/notebook');
  // As if a star, a subscription and a fork were left from a time when the repository was public.
  await sql`insert into star (account_id, repository_id, starred_at) select a.id, r.id, now() from account a, repository r
    where a.login in ('wren', 'juniper') and r.name = 'notebook' on conflict do nothing`.execute(db);
  await sql`insert into watch (account_id, repository_id, watched_at) select a.id, r.id, now() from account a, repository r
    where a.login in ('wren', 'juniper') and r.name = 'notebook' on conflict do nothing`.execute(db);
  await sql`update repository set parent_id = (select id from repository where name = 'notebook'),
    network_root_id = (select id from repository where name = 'notebook') where name = 'attic'`.execute(db);
  const lists = `starredRepositories(first: 100) { totalCount nodes { name } } watching(first: 100) { totalCount nodes { name } }
    repositories(first: 100, ownerAffiliations: [OWNER, COLLABORATOR, ORGANIZATION_MEMBER]) { totalCount nodes { name } }
    repository(name: "notebook") { name }`;
  const query = `{
    node(id: "${secret}") { id ... on Repository { name } } nodes(ids: ["${secret}"]) { id ... on Repository { name } }
    repository(owner: "juniper", name: "notebook") { name }
    fork: repository(owner: "linh", name: "attic") { parent { name } networkRoot { name } }
    wren: user(login: "wren") { ${lists} } juniper: user(login: "juniper") { ${lists} }
    search(type: REPOSITORY, query: "notebook fork:true", first: 100) { repositoryCount nodes { ... on Repository { name } } }
  }`;
  for (const token of [undefined, wren.classic_token, tomas.classic_token, juniper.fine_grained_token]) {
    const { data, errors } = await ask(query, token);
    expect(errors).toEqual([expect.objectContaining({ type: 'NOT_FOUND', path: ['repository'] })]);
    expect(JSON.stringify(data)).not.toContain('notebook');
    expect(data).toMatchObject({
      node: null,
      nodes: [null],
      repository: null,
      fork: { parent: null, networkRoot: null },
    });
    expect(data.search.repositoryCount).toBe(0);
    expect(data.juniper.watching.totalCount).toBe(0);
  }
  const own = await answerTo(query, juniper.classic_token);
  expect(own).toMatchObject({ node: { name: 'notebook' }, fork: { parent: { name: 'notebook' } } });
  expect(own.juniper.watching.nodes).toEqual([{ name: 'notebook' }]);
  for (const mutation of [
    `addStar(input: { starrableId: "${secret}" }) { starrable { id } }`,
    `updateSubscription(input: { subscribableId: "${secret}", state: SUBSCRIBED }) { subscribable { id } }`,
    `updateRepository(input: { repositoryId: "${secret}", name: "x" }) { repository { id } }`,
    `forkRepository(input: { repository: { id: "${secret}" } }) { repository { id } }`,
  ]) {
    expect(await codeOf(`mutation { ${mutation} }`, wren.classic_token)).toBe('NOT_FOUND');
  }
});

test('inputs that mean nothing are refused', async () => {
  const compass = await idOf('harbor-lab/compass');
  const user = await idOf('wren');
  const create = (more: string) =>
    `mutation { createRepository(input: { name: "never", ${more} }) { repository { id } } }`;
  for (const document of [
    create(`visibility: PUBLIC, teamId: "${compass}"`),
    create(`visibility: PUBLIC, ownerId: "${compass}"`),
    create('visibility: PUBLIC, ownerId: "7"'),
    `mutation { archiveRepository(input: { repositoryId: "${user}" }) { repository { id } } }`,
    `mutation { addStar(input: { starrableId: "${user}" }) { starrable { id } } }`,
    `mutation { updateSubscription(input: { subscribableId: "${compass}", state: IGNORED }) { subscribable { id } } }`,
    `mutation { setCollaborator(input: { repository: { id: "${user}" }, userId: "${user}", permission: READ }) { permission } }`,
    `mutation { setCollaborator(input: { repository: { id: "${compass}" }, userId: "${compass}", permission: READ }) { permission } }`,
    '{ viewer { repositories(first: 101) { totalCount } } }',
    '{ viewer { repositories(first: 1, after: "x") { nodes { id } } } }',
    '{ search(type: REPOSITORY, query: "license:mit") { totalCount } }',
    '{ search(type: REPOSITORY, query: "-topic:maps") { totalCount } }',
    '{ search(type: REPOSITORY, query: "fork:perhaps") { totalCount } }',
    `{ search(type: REPOSITORY, query: "${'x'.repeat(257)}") { totalCount } }`,
  ]) {
    expect([document, await codeOf(document, wren.classic_token)]).toEqual([document, 'BAD_USER_INPUT']);
  }
  expect(await codeOf(create('visibility: INTERNAL'), wren.classic_token)).toBe('RULE_BROKEN');
  const unknown = encodeGlobalId('Repository', 987_654_321);
  expect(
    await codeOf(`mutation { addStar(input: { starrableId: "${unknown}" }) { starrable { id } } }`, wren.classic_token),
  ).toBe('NOT_FOUND');
  expect((await answerTo(`{ node(id: "${unknown}") { id } }`, wren.classic_token)).node).toBeNull();
});

test('a list of repositories costs the same number of statements, whatever its length', async () => {
  await sql`insert into repository (owner_id, name, created_at, updated_at)
    select a.id, 'many-' || n, now(), now() from account a, generate_series(1, 100) n where a.login = 'wren'`.execute(
    db,
  );
  await sql`insert into star (account_id, repository_id, starred_at) select a.id, r.id, now() from account a, repository r
    where a.login in ('linh', 'okello') and r.name like 'many-%'`.execute(db);
  await sql`insert into watch (account_id, repository_id, watched_at) select a.id, r.id, now() from account a, repository r
    where a.login = 'linh' and r.name like 'many-%'`.execute(db);
  const query = (
    first: number,
  ) => `{ user(login: "wren") { repositories(first: ${first}, orderBy: { field: STARGAZERS, direction: DESC }) { totalCount nodes {
    nameWithOwner viewerPermission viewerHasStarred viewerSubscription isEmpty stargazerCount diskUsage
    owner { login repository(name: "dotfiles") { name } repositories(first: 2) { nodes { name } } }
    stargazers(first: 2) { totalCount edges { starredAt node { login } } }
    watchers(first: 2) { nodes { login } } forks(first: 2) { nodes { name } }
    collaborators(first: 2) { edges { permission node { login } } }
    repositoryTopics(first: 2) { nodes { topic { name } } } languages { totalCount }
  } } } }`;
  const statements = async (first: number): Promise<number> => {
    const run = () => answerTo(query(first), wren.classic_token);
    expect((await run()).user.repositories.nodes).toHaveLength(first);
    return (await gateway.statements(run)).length;
  };
  const few = await statements(1);
  expect(await statements(100)).toBe(few);
  expect(few).toBeLessThanOrEqual(17);
});
