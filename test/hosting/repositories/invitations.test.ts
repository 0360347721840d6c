import { beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { call, callsWithTokens, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users, tokens } = await demoOf(gateway);
const [wren, juniper, tomas, linh] = [
  users.wren.classic_token,
  users.juniper.classic_token,
  users.tomas.classic_token,
  users.linh.classic_token,
];
const { ask, status } = callsWithTokens(gateway);
const db = gateway.database.sql;
const day = 86_400_000;
const start = gateway.clock.now;
let count = 0;

beforeEach(async () => {
  gateway.clock.now = start;
  await sql`delete from repository_invitation`.execute(db);
});

/** Path of a new private repository of juniper. */
async function newRepository(visibility = 'PRIVATE', token = juniper): Promise<string> {
  const name = `invited-${++count}`;
  const { data } = await graphql(
    gateway,
    'mutation($name: String!, $visibility: RepositoryVisibility!) { createRepository(input: { name: $name, visibility: $visibility }) { repository { nameWithOwner } } }',
    token,
    { name, visibility },
  );
  return `/repos/${data.createRepository.repository.nameWithOwner}`;
}

const invite = (path: string, login = 'tomas', body: object = {}, token = juniper) =>
  ask('PUT', `${path}/collaborators/${login}`, token, body);
const own = async (token = tomas) =>
  (await ask('GET', '/user/repository_invitations', token)).json as { id: number; expired: boolean }[];
const answer = (method: 'PATCH' | 'DELETE', id: number, token = tomas) =>
  status(method, `/user/repository_invitations/${id}`, token);
const memberEvents = async (path: string) =>
  ((await ask('GET', `${path}/events`, juniper)).json as { type: string }[]).filter(
    ({ type }) => type === 'MemberEvent',
  );

test('an invited user has no access before accepting, and the offered permission after', async () => {
  const path = await newRepository();
  const invited = await invite(path, 'tomas', { permission: 'triage' });
  expect(invited.status).toBe(201);
  expect(invited.json).toMatchObject({
    id: expect.any(Number),
    repository: { full_name: path.slice('/repos/'.length), private: true },
    invitee: { login: 'tomas' },
    inviter: { login: 'juniper' },
    permissions: 'triage',
    created_at: '2026-10-01T08:10:00Z',
    expired: false,
    url: `${gateway.url}/user/repository_invitations/${invited.json.id}`,
  });
  expect(await status('GET', path, tomas)).toBe(404);
  const page = (token: string) =>
    call(gateway, 'GET', new URL(invited.json.html_url).pathname, `Bearer ${token}`, undefined, {
      accept: 'text/html',
    });
  expect((await page(tomas)).text).toContain('Until you accept it, you have no access.');
  expect((await page(linh)).status).toBe(404);
  expect(await status('GET', `${path}/collaborators/tomas`, juniper)).toBe(404);
  // The permissions of the document are the caller's.
  const { permissions, ...repository } = invited.json.repository;
  expect(await own()).toMatchObject([{ ...invited.json, repository: { ...repository, permissions: { pull: false } } }]);
  expect(permissions.admin).toBe(true);
  expect((await ask('GET', `${path}/invitations`, juniper)).json).toEqual([invited.json]);
  expect(await memberEvents(path)).toEqual([]);
  expect(await answer('PATCH', invited.json.id)).toBe(204);
  expect((await ask('GET', path, tomas)).json.permissions).toMatchObject({ triage: true, push: false });
  expect(await memberEvents(path)).toHaveLength(1);
  expect([await own(), (await ask('GET', `${path}/invitations`, juniper)).json]).toEqual([[], []]);
  // A collaborator has another permission at once.
  expect((await invite(path, 'tomas', { permission: 'push' })).status).toBe(204);
  expect((await ask('GET', path, tomas)).json.permissions.push).toBe(true);
});

test('a repeated invitation replaces the permission and keeps the number', async () => {
  const path = await newRepository();
  const { json: first } = await invite(path, 'tomas', { permission: 'pull' });
  gateway.clock.now = new Date(start.getTime() + 8 * day);
  const again = await invite(path, 'tomas', { permission: 'admin' });
  expect([again.status, again.json]).toEqual([
    201,
    { ...first, permissions: 'admin', created_at: '2026-10-09T08:10:00Z' },
  ]);
  expect(await own()).toHaveLength(1);
  await answer('DELETE', first.id);
});

test('administrators change and withdraw an invitation', async () => {
  const [path, other] = [await newRepository(), await newRepository()];
  const { id } = (await invite(path)).json;
  const change = (repository: string, body: object, token = juniper) =>
    ask('PATCH', `${repository}/invitations/${id}`, token, body);
  expect((await change(path, { permissions: 'maintain' })).json).toMatchObject({ id, permissions: 'maintain' });
  expect((await change(path, {})).json).toMatchObject({ id, permissions: 'maintain' });
  expect((await change(path, { permissions: 'owner' })).status).toBe(422);
  expect((await change(other, { permissions: 'read' })).status).toBe(404);
  expect((await change(other, {})).status).toBe(404);
  expect((await change(path, { permissions: 'read' }, tomas)).status).toBe(404);
  expect(await status('DELETE', `${other}/invitations/${id}`, juniper)).toBe(404);
  expect(await status('DELETE', `${path}/invitations/${id}`, tomas)).toBe(404);
  expect(await status('DELETE', `${path}/invitations/${id}`, juniper)).toBe(204);
  expect(await status('DELETE', `${path}/invitations/${id}`, juniper)).toBe(404);
  expect([await answer('PATCH', id), await answer('DELETE', id)]).toEqual([404, 404]);
  expect(await status('GET', path, tomas)).toBe(404);
});

test('only the invited user answers, by a token that may', async () => {
  const path = await newRepository();
  const { id } = (await invite(path)).json;
  for (const token of [juniper, wren]) expect(await answer('PATCH', id, token)).toBe(404);
  // linh's token lacks `repo:invite`.
  expect(await answer('PATCH', id, linh)).toBe(403);
  expect(await status('GET', '/user/repository_invitations', linh)).toBe(403);
  expect(await status('GET', '/user/repository_invitations')).toBe(403);
  expect(await status('GET', '/user/repository_invitations', tokens.installation)).toBe(403);
  expect(await status('GET', `${path}/invitations`, tomas)).toBe(404);
  expect(await status('GET', '/repos/harbor-lab/compass/invitations', tomas)).toBe(403);
  expect(await status('GET', '/repos/harbor-lab/compass/invitations')).toBe(403);
  expect(await answer('DELETE', id)).toBe(204);
  expect(await answer('DELETE', id)).toBe(404);
  expect(await status('GET', path, tomas)).toBe(404);
});

test('an invitation expires after 7 days, and can still be declined', async () => {
  const path = await newRepository();
  const { id } = (await invite(path)).json;
  gateway.clock.now = new Date(start.getTime() + 7 * day);
  expect((await own())[0]).toMatchObject({ id, expired: true });
  expect((await ask('GET', `${path}/invitations`, juniper)).json[0]).toMatchObject({ id, expired: true });
  expect(await answer('PATCH', id)).toBe(409);
  expect(await status('GET', path, tomas)).toBe(404);
  expect(await answer('DELETE', id)).toBe(204);
});

test('an invitation ends with the rights of its sender', async () => {
  const path = await newRepository();
  await invite(path, 'tomas', { permission: 'admin' });
  const [{ id: first } = { id: 0 }] = await own();
  await answer('PATCH', first);
  const { json } = await invite(path, 'wren', {}, tomas);
  await status('DELETE', `${path}/collaborators/tomas`, juniper);
  expect((await own(wren)).map(({ id }) => id)).not.toContain(json.id);
  expect(await answer('PATCH', json.id, wren)).toBe(404);
  expect(await status('GET', path, wren)).toBe(404);
});

test('invitations and answers at the same time: one of each', async () => {
  const path = await newRepository();
  const invited = await Promise.all(Array.from({ length: 4 }, () => invite(path)));
  expect(invited.map(({ status: code }) => code)).toEqual([201, 201, 201, 201]);
  expect(new Set(invited.map(({ json }) => json.id)).size).toBe(1);
  const { id } = invited[0]?.json ?? {};
  const answers = await Promise.all(Array.from({ length: 4 }, () => answer('PATCH', id)));
  expect(answers.sort()).toEqual([204, 404, 404, 404]);
  expect(await memberEvents(path)).toHaveLength(1);
  // An invitation that meets its acceptance leaves either a collaborator or both, never an invitation of a collaborator.
  await status('DELETE', `${path}/collaborators/tomas`, juniper);
  const { json } = await invite(path);
  const [accepted, repeated] = await Promise.all([answer('PATCH', json.id), invite(path)]);
  expect([accepted, [201, 204].includes(repeated.status)]).toEqual([204, true]);
  expect(await own()).toEqual([]);
});

test('a repository sends at most 50 invitations within 24 hours', async () => {
  const path = await newRepository();
  await sql`with invited as (insert into account (kind, login, created_at, updated_at)
      select 'user', 'crowd-' || n, now(), now() from generate_series(1, 50) n returning id)
    insert into repository_invitation (repository_id, account_id, role, inviter_id, created_at)
    select r.id, invited.id, 'read', r.owner_id, ${start.toISOString()}::timestamptz
    from invited, repository r join account o on o.id = r.owner_id where '/repos/' || o.login || '/' || r.name = ${path}`.execute(
    db,
  );
  const refused = await invite(path);
  expect([refused.status, refused.json.errors[0].message]).toEqual([
    422,
    'A repository invites at most 50 users within 24 hours.',
  ]);
  expect(await own()).toEqual([]);
  gateway.clock.now = new Date(start.getTime() + day + 1);
  expect((await invite(path)).status).toBe(201);
  const page = await ask('GET', `${path}/invitations?per_page=20&page=3`, juniper);
  expect(page.json).toHaveLength(11);
  expect(page.headers.get('link')).toContain('rel="prev"');
});

test('the graph has invitations, for those who may read them', async () => {
  const path = await newRepository();
  const [owner = '', name = ''] = path.split('/').slice(2);
  const userId = await globalIdOf(gateway, 'tomas');
  const run = (query: string, token: string) => graphql(gateway, query, token);
  const fields = 'id permission isExpired nameWithOwner permalink invitee { login } inviter { login }';
  const made = await run(
    `mutation { setCollaborator(input: { repository: { named: { owner: "${owner}", name: "${name}" } }, userId: "${userId}", permission: WRITE }) { invitation { ${fields} } } }`,
    juniper,
  );
  const { id, ...facts } = made.data.setCollaborator.invitation;
  expect(facts).toEqual({
    permission: 'WRITE',
    isExpired: false,
    nameWithOwner: `${owner}/${name}`,
    permalink: `${gateway.url}/${owner}/${name}/invitations`,
    invitee: { login: 'tomas' },
    inviter: { login: 'juniper' },
  });
  const listed = `{ repository(owner: "${owner}", name: "${name}") { invitations { nodes { id } totalCount } } }`;
  expect((await run(listed, juniper)).data.repository.invitations).toEqual({ nodes: [{ id }], totalCount: 1 });
  const mine = await run(`{ viewer { repositoryInvitations { nodes { ${fields} } } } }`, tomas);
  expect(mine.data.viewer.repositoryInvitations.nodes).toEqual([{ id, ...facts }]);
  const node = async (token: string) => (await run(`{ node(id: "${id}") { id } }`, token)).data.node;
  expect([await node(juniper), await node(tomas), await node(wren)]).toEqual([{ id }, { id }, null]);
  expect((await run('{ viewer { repositoryInvitations { totalCount } } }', linh)).data.viewer).toEqual({
    repositoryInvitations: null,
  });
  const change = (token: string) =>
    run(
      `mutation { updateRepositoryInvitation(input: { invitationId: "${id}", permission: READ }) { invitation { permission } } }`,
      token,
    );
  expect((await change(juniper)).data.updateRepositoryInvitation.invitation).toEqual({ permission: 'READ' });
  expect((await change(tomas)).errors[0].extensions.code).toBe('NOT_FOUND');
  const accepted = await run(
    `mutation { acceptRepositoryInvitation(input: { invitationId: "${id}" }) { repository { name viewerPermission } } }`,
    tomas,
  );
  expect(accepted.data.acceptRepositoryInvitation.repository).toEqual({ name, viewerPermission: 'READ' });
  for (const verb of ['decline', 'delete']) {
    const gone = await run(
      `mutation { ${verb}RepositoryInvitation(input: { invitationId: "${id}" }) { deletedId } }`,
      verb === 'delete' ? juniper : tomas,
    );
    expect(gone.errors[0].extensions.code).toBe('NOT_FOUND');
  }
});

test('an invitation describes a private repository, and does not lead into it', async () => {
  const path = await newRepository();
  const { json } = await invite(path);
  const { repository } = json;
  const facts = 'id databaseId nameWithOwner isPrivate visibility defaultBranch owner { login } permissions { pull }';
  const query = (below: string) => `{ viewer { repositoryInvitations { nodes { repository { ${below} } } } } }`;
  const seen = async (below: string, token = tomas) =>
    (await graphql(gateway, query(below), token)).data.viewer.repositoryInvitations.nodes;
  expect(await seen(`__typename ${facts}`)).toEqual([
    {
      repository: {
        ...{ __typename: 'InvitedRepository', id: repository.node_id, databaseId: repository.id },
        ...{ nameWithOwner: repository.full_name, isPrivate: true, visibility: 'PRIVATE', defaultBranch: 'main' },
        ...{ owner: { login: 'juniper' }, permissions: { pull: false } },
      },
    },
  ]);
  // Fields of `Repository` are those of another type, for administrators too.
  expect(await seen('... on Repository { name refs(refPrefix: "refs/heads/") { totalCount } }')).toEqual([
    { repository: {} },
  ]);
  const refused = await graphql(gateway, query('refs(refPrefix: "refs/heads/") { totalCount }'), tomas);
  expect(refused.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  const node = `{ node(id: "${repository.node_id}") { __typename } }`;
  expect((await graphql(gateway, node, tomas)).data.node).toBeNull();
  const listed = `{ repository(owner: "juniper", name: "${repository.name}") { invitations { nodes { repository { __typename } } } } }`;
  expect((await graphql(gateway, listed, juniper)).data.repository.invitations.nodes).toEqual([
    { repository: { __typename: 'InvitedRepository' } },
  ]);
  expect((await graphql(gateway, listed, tomas)).data.repository).toBeNull();
});
