import { describe, expect, test } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { commitOnceAwaited } from '../harness/commit-once-awaited.ts';
import { testGateway } from '../harness/gateway.ts';
import { acceptInvitations, appJwt, call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const { wren, juniper, tomas } = demo.users;
const db = gateway.database.sql;
let count = 0;
const fresh = (): string => `member-${++count}`;

async function idOf(login: string): Promise<number> {
  return (await sql<{ id: number }>`select id from account where login = ${login}`.execute(db)).rows[0]?.id ?? 0;
}

async function run(query: string, token: string) {
  const { data, errors } = await graphql(gateway, query, token);
  return { data, code: errors?.[0]?.extensions.code as string | undefined };
}

/** A new user with a token that has all scopes of a user. */
async function newUser(): Promise<{ login: string; token: string }> {
  const login = fresh();
  const create = `mutation { createUser(input: { login: "${login}", email: "${login}@example.org" }) { user { login } } }`;
  expect((await run(create, wren.classic_token)).data).toEqual({ createUser: { user: { login } } });
  const scopes = ['repo', 'workflow', 'admin:org', 'user'];
  const accountId = await idOf(login);
  const { token } = await inTransaction(gateway.database, transaction =>
    insertCredential(transaction, { kind: 'classic', accountId, scopes }, gateway.clock.now),
  );
  tokens.set(login, token);
  return { login, token };
}
const tokens = new Map<string, string>();

/** An organization of wren with a private repository that has a file. */
async function newOrganization(): Promise<{ login: string; path: string }> {
  const login = fresh();
  await run(
    `mutation { createOrganization(input: { login: "${login}" }) { organization { login } } }`,
    wren.classic_token,
  );
  const ownerId = await globalIdOf(gateway, login);
  await run(
    `mutation { createRepository(input: { ownerId: "${ownerId}", name: "box", visibility: PRIVATE }) { repository { id } } }`,
    wren.classic_token,
  );
  const path = `/repos/${login}/box`;
  await call(gateway, 'PUT', `${path}/contents/a.txt`, `Bearer ${wren.classic_token}`, {
    message: 'm',
    content: 'YQ==',
  });
  return { login, path };
}

const pairOf = async (organization: string, login: string): Promise<string> =>
  `organizationId: "${await globalIdOf(gateway, organization)}", userId: "${await globalIdOf(gateway, login)}"`;
const invite = async (organization: string, login: string, role = 'MEMBER', token = wren.classic_token) =>
  run(
    `mutation { setOrganizationMember(input: { ${await pairOf(organization, login)}, role: ${role} }) { membership { state role } } }`,
    token,
  );
/** Accepts or declines. */
const answer = async (verb: string, organization: string, token: string, selected: string) =>
  run(
    `mutation { ${verb}OrganizationInvitation(input: { organizationId: "${await globalIdOf(gateway, organization)}" }) { ${selected} } }`,
    token,
  );
const accept = (organization: string, token: string) =>
  answer('accept', organization, token, 'membership { state role organization { login } }');
const remove = async (organization: string, login: string, token = wren.classic_token) =>
  run(
    `mutation { removeOrganizationMember(input: { ${await pairOf(organization, login)} }) { organization { login } } }`,
    token,
  );
const invitations = async (token: string) =>
  (await run('{ viewer { invitations { nodes { role state organization { login } } } } }', token)).data.viewer
    .invitations.nodes;
const status = async (path: string, token: string): Promise<number> =>
  (await call(gateway, 'GET', path, `Bearer ${token}`)).status;

describe('an invitation', () => {
  test.each(['MEMBER', 'ADMIN'])('gives no rights until accepted: %s', async role => {
    const [{ login, path }, user] = [await newOrganization(), await newUser()];
    expect((await invite(login, user.login, role)).data.setOrganizationMember.membership).toEqual({
      state: 'PENDING',
      role,
    });
    expect(await status(path, user.token)).toBe(404);
    expect((await invite(login, 'linh', 'MEMBER', user.token)).code).toBe('NOT_FOUND');
    expect(await invitations(user.token)).toEqual([{ role, state: 'PENDING', organization: { login } }]);
    expect((await accept(login, user.token)).data.acceptOrganizationInvitation.membership).toEqual({
      state: 'ACTIVE',
      role,
      organization: { login },
    });
    expect(await status(path, user.token)).toBe(200);
    expect((await invite(login, 'linh', 'MEMBER', user.token)).code).toBe(role === 'ADMIN' ? undefined : 'NOT_FOUND');
    expect((await accept(login, user.token)).code).toBe('NOT_FOUND');
  });

  test('is for its recipient, and is declined or withdrawn once', async () => {
    const [{ login }, user, other] = [await newOrganization(), await newUser(), await newUser()];
    expect((await accept(login, other.token)).code).toBe('NOT_FOUND');
    await invite(login, user.login);
    expect((await accept(login, other.token)).code).toBe('NOT_FOUND');
    expect(
      (await answer('decline', login, user.token, 'organization { login }')).data.declineOrganizationInvitation,
    ).toEqual({ organization: { login } });
    expect((await accept(login, user.token)).code).toBe('NOT_FOUND');
    await invite(login, user.login);
    expect((await remove(login, user.login)).data.removeOrganizationMember).toEqual({ organization: { login } });
    expect((await accept(login, user.token)).code).toBe('NOT_FOUND');
  });

  test('ends when its sender no longer administers the organization', async () => {
    const [{ login }, helper, accomplice] = [await newOrganization(), await newUser(), await newUser()];
    await invite(login, helper.login, 'ADMIN');
    await accept(login, helper.token);
    expect(
      (await invite(login, accomplice.login, 'ADMIN', helper.token)).data.setOrganizationMember.membership.state,
    ).toBe('PENDING');
    await invite(login, helper.login, 'MEMBER');
    expect(await invitations(accomplice.token)).toEqual([]);
    expect((await accept(login, accomplice.token)).code).toBe('NOT_FOUND');
  });

  test('by an app ends when the installer no longer administers the organization', async () => {
    const [{ login }, helper, accomplice] = [await newOrganization(), await newUser(), await newUser()];
    await invite(login, helper.login, 'ADMIN');
    await accept(login, helper.token);
    const name = fresh();
    const made = await run(
      `mutation { createApp(input: { name: "${name}", url: "https://x.example", permissions: [{ name: "members", level: WRITE }] }) {
        app { id databaseId slug } } }`,
      helper.token,
    );
    const { id, databaseId, slug } = made.data.createApp.app;
    const key = await run(`mutation { addAppKey(input: { appId: "${id}" }) { privateKey } }`, helper.token);
    const installed = await run(
      `mutation { installApp(input: { slug: "${slug}", accountId: "${await globalIdOf(gateway, login)}" }) { installation { databaseId } } }`,
      helper.token,
    );
    const app = { ...demo.app, id: databaseId, private_key: key.data.addAppKey.privateKey };
    const jwt = await appJwt(gateway, { ...demo, app });
    const path = `/app/installations/${installed.data.installApp.installation.databaseId}/access_tokens`;
    const { token } = (await call(gateway, 'POST', path, `Bearer ${jwt}`)).json;
    expect((await invite(login, accomplice.login, 'ADMIN', token)).data.setOrganizationMember.membership.state).toBe(
      'PENDING',
    );
    await invite(login, helper.login, 'MEMBER');
    expect((await accept(login, accomplice.token)).code).toBe('NOT_FOUND');
  });

  test('accepted ten times at once makes one member, in the role offered last', async () => {
    const [{ login }, user] = [await newOrganization(), await newUser()];
    await invite(login, user.login, 'ADMIN');
    await invite(login, user.login, 'MEMBER');
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(login, user.token)));
    expect(answers.filter(one => one.data?.acceptOrganizationInvitation)).toHaveLength(1);
    expect((await invite(login, 'linh', 'MEMBER', user.token)).code).toBe('NOT_FOUND');
  });
});

describe('a membership change whose author is removed or demoted while it waits has no effect', () => {
  const world = async () => {
    const [{ login }, author, member] = [await newOrganization(), await newUser(), await newUser()];
    await invite(login, author.login, 'ADMIN');
    await accept(login, author.token);
    await invite(login, member.login);
    await accept(login, member.token);
    return { login, author, member };
  };
  const meanwhile = <T>(login: string, statement: RawBuilder<unknown>, request: () => Promise<T>): Promise<T> => {
    // The lock of a membership change.
    const lock = sql`select 1 from account where login = ${login} for no key update`;
    return commitOnceAwaited(gateway, [lock, statement], request);
  };
  const roleOf = async (organization: string, login: string): Promise<unknown> =>
    (
      await sql<{ role: string }>`select role from membership
        where organization_id = ${await idOf(organization)} and account_id = ${await idOf(login)}`.execute(db)
    ).rows[0]?.role;

  test('removed: a promotion', async () => {
    const { login, author, member } = await world();
    const removed = sql`delete from membership where account_id = ${await idOf(author.login)}`;
    const { code } = await meanwhile(login, removed, () => invite(login, member.login, 'ADMIN', author.token));
    expect([code, await roleOf(login, member.login)]).toEqual(['NOT_FOUND', 'member']);
  });

  test('demoted: a removal', async () => {
    const { login, author, member } = await world();
    const demoted = sql`update membership set role = 'member' where account_id = ${await idOf(author.login)}`;
    const { code } = await meanwhile(login, demoted, () => remove(login, member.login, author.token));
    expect([code, await roleOf(login, member.login)]).toEqual(['NOT_FOUND', 'member']);
  });
});

describe('a private fork is closed to callers who cannot read its origin', () => {
  const fork = async (path: string, token: string): Promise<string> => {
    const [, , owner, name] = path.split('/');
    const { data } = await run(
      `mutation { forkRepository(input: { repository: { named: { owner: "${owner}", name: "${name}" } }, name: "${fresh()}" }) {
        repository { nameWithOwner } } }`,
      token,
    );
    return `/repos/${data.forkRepository.repository.nameWithOwner}`;
  };
  const collaborate = async (path: string, login: string, isIn: boolean, token = wren.classic_token) => {
    const [, , owner, name] = path.split('/');
    const userId = await globalIdOf(gateway, login);
    const of = `repository: { named: { owner: "${owner}", name: "${name}" } }, userId: "${userId}"`;
    const change = isIn
      ? `setCollaborator(input: { ${of}, permission: READ }) { permission }`
      : `removeCollaborator(input: { ${of} }) { user { id } }`;
    await run(`mutation { ${change} }`, token);
    await acceptInvitations(gateway, tokens.get(login) ?? '');
  };
  const joined = async () => {
    const [organization, user] = [await newOrganization(), await newUser()];
    await invite(organization.login, user.login);
    await accept(organization.login, user.token);
    return { organization, user };
  };

  test('after removal from the organization, by every access path', async () => {
    const { organization, user } = await joined();
    const forked = await fork(organization.path, user.token);
    expect(await status(forked, user.token)).toBe(200);
    await collaborate(organization.path, user.login, true);
    await remove(organization.login, user.login);
    for (const path of [
      forked,
      `${forked}/contents/a.txt`,
      `${forked}/events`,
      `${forked}/readme`,
      organization.path,
    ]) {
      expect({ path, status: await status(path, user.token) }).toEqual({ path, status: 404 });
    }
    const written = await call(gateway, 'PUT', `${forked}/contents/b.txt`, `Bearer ${user.token}`, {
      message: 'm',
      content: '',
    });
    expect(written.status).toBe(404);
    const listed = await run('{ viewer { repositories { nodes { nameWithOwner } } } }', user.token);
    expect(JSON.stringify(listed.data)).not.toContain(forked.replace('/repos/', ''));
    const [, , owner = '', name = ''] = forked.split('/');
    const repositoryId = await globalIdOf(gateway, `${owner}/${name}`);
    const open = `mutation { updateRepository(input: { repositoryId: "${repositoryId}", visibility: PUBLIC }) { repository { id } } }`;
    expect((await run(open, user.token)).code).toBe('NOT_FOUND');
    const token = `mutation { createWorkflowToken(input: { repository: { named: { owner: "${owner}", name: "${name}" } }, permissions: [{ name: "contents", level: READ }] }) { secret } }`;
    expect((await run(token, user.token)).code).toBe('NOT_FOUND');
    // A returning member regains access.
    await invite(organization.login, user.login);
    await accept(organization.login, user.token);
    expect(await status(forked, user.token)).toBe(200);
  });

  test('after removal as a collaborator, and for a fork of a fork', async () => {
    const [{ path }, user, friend] = [await newOrganization(), await newUser(), await newUser()];
    await collaborate(path, user.login, true);
    await collaborate(path, friend.login, true);
    const forked = await fork(path, user.token);
    await collaborate(forked, friend.login, true, user.token);
    const second = await fork(forked, friend.token);
    expect(await status(second, friend.token)).toBe(200);
    await collaborate(path, friend.login, false);
    expect(await status(second, friend.token)).toBe(404);
    // Nor through a collaborator of the fork.
    expect(await status(forked, friend.token)).toBe(404);
    expect(await status(forked, user.token)).toBe(200);
    await collaborate(path, friend.login, true);
    await collaborate(forked, friend.login, false, user.token);
    expect(await status(second, friend.token)).toBe(404);
  });

  test('after loss of a repository between it and the network root', async () => {
    const [{ path }, user, second, third] = [
      await newOrganization(),
      await newUser(),
      await newUser(),
      await newUser(),
    ];
    for (const { login } of [user, second, third]) await collaborate(path, login, true);
    const one = await fork(path, user.token);
    for (const { login } of [second, third]) await collaborate(one, login, true, user.token);
    const two = await fork(one, second.token);
    await collaborate(two, third.login, true, second.token);
    const three = await fork(two, third.token);
    expect(await status(three, third.token)).toBe(200);
    await collaborate(one, third.login, false, user.token);
    expect([await status(two, third.token), await status(three, third.token)]).toEqual([404, 404]);
    expect(await status(two, second.token)).toBe(200);
    await collaborate(one, third.login, true, user.token);
    expect(await status(three, third.token)).toBe(200);
  });

  test('after the base permission of the organization is removed, and for existing credentials', async () => {
    const { organization, user } = await joined();
    const forked = await fork(organization.path, user.token);
    const [, , owner, name] = forked.split('/');
    const make = async (query: string, field: string): Promise<string> =>
      (await run(`mutation { ${query} { secret } }`, user.token)).data[field].secret;
    const tokens = [
      await make(
        'createFineGrainedToken(input: { note: "n", permissions: [{ name: "contents", level: READ }] })',
        'createFineGrainedToken',
      ),
      await make(
        `createWorkflowToken(input: { repository: { named: { owner: "${owner}", name: "${name}" } }, permissions: [{ name: "contents", level: READ }] })`,
        'createWorkflowToken',
      ),
      await make('createClassicToken(input: { note: "n", scopes: ["repo"] })', 'createClassicToken'),
    ];
    for (const token of tokens) expect(await status(forked, token)).toBe(200);
    await sql`update account set base_permission = 'none' where login = ${organization.login}`.execute(db);
    for (const token of [user.token, ...tokens]) expect(await status(forked, token)).toBe(404);
  });
});

test('a workflow token has at most the current rights of the user who requested it', async () => {
  const [{ login, path }, user] = [await newOrganization(), await newUser()];
  await invite(login, user.login, 'ADMIN');
  await accept(login, user.token);
  const { data } = await run(
    `mutation { createWorkflowToken(input: { repository: { named: { owner: "${login}", name: "box" } }, permissions: [{ name: "contents", level: WRITE }] }) { secret } }`,
    user.token,
  );
  const { secret: token } = data.createWorkflowToken;
  const write = async () =>
    (await call(gateway, 'PUT', `${path}/contents/${fresh()}`, `Bearer ${token}`, { message: 'm', content: '' }))
      .status;
  expect(await write()).toBe(201);
  await invite(login, user.login, 'MEMBER');
  expect(await write()).toBe(403);
  await remove(login, user.login);
  expect(await status(path, token)).toBe(404);
});

test('members of the demo world are unchanged', async () => {
  expect(await status('/repos/harbor-lab/ledger', juniper.classic_token)).toBe(200);
  expect(await status('/repos/harbor-lab/ledger', tomas.classic_token)).toBe(200);
  expect((await invite('harbor-lab', 'juniper')).data.setOrganizationMember.membership).toEqual({
    state: 'ACTIVE',
    role: 'MEMBER',
  });
});
