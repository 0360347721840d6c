import { describe, expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf, globalIdOf, graphql } from '../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const ask = (query: string, token?: string) => graphql(gateway, query, token);

describe('an owner of repositories', () => {
  test('is a user or an organization, and an actor with a page', async () => {
    const { data } = await ask(`{
      user: repositoryOwner(login: "WREN") { ...Owner }
      organization: repositoryOwner(login: "harbor-lab") { ...Owner }
      nobody: repositoryOwner(login: "nobody-at-all") { login }
    }
    fragment Owner on RepositoryOwner {
      __typename login url resourcePath
      ... on Actor { avatarUrl }
      ... on UniformResourceLocatable { path: resourcePath }
      ... on User { isSiteAdmin bio }
      ... on Organization { description isSsoEnforced }
    }`);
    const page = (login: string) => ({
      login,
      url: `${gateway.url}/${login}`,
      resourcePath: `/${login}`,
      path: `/${login}`,
      avatarUrl: expect.stringMatching(/\/avatars\/\d+\.svg$/),
    });
    expect(data).toEqual({
      user: { __typename: 'User', ...page('wren'), isSiteAdmin: true, bio: expect.any(String) },
      organization: {
        __typename: 'Organization',
        ...page('harbor-lab'),
        description: expect.any(String),
        isSsoEnforced: false,
      },
      nobody: null,
    });
  });

  test('has its type in the lists of repositories too', async () => {
    const { data } = await ask(
      `{ viewer { repositories(first: 100, ownerAffiliations: [OWNER, ORGANIZATION_MEMBER]) {
        nodes { owner { __typename ... on User { isViewer } } } } } }`,
      users.wren.classic_token,
    );
    const owners = data.viewer.repositories.nodes.map((one: { owner: object }) => one.owner);
    expect(owners).toContainEqual({ __typename: 'User', isViewer: true });
    expect(owners).toContainEqual({ __typename: 'Organization' });
  });

  test('is found under its own type only', async () => {
    expect(
      await ask(`{
        user(login: "wren") { login } noUser: user(login: "harbor-lab") { login }
        organization(login: "harbor-lab") { login } noOrganization: organization(login: "wren") { login }
      }`),
    ).toMatchObject({
      data: { user: { login: 'wren' }, noUser: null, organization: { login: 'harbor-lab' }, noOrganization: null },
      errors: [
        { path: ['noUser'], type: 'NOT_FOUND', extensions: { code: 'NOT_FOUND' } },
        { path: ['noOrganization'], type: 'NOT_FOUND', extensions: { code: 'NOT_FOUND' } },
      ],
    });
  });
});

test('The global id is the REST node_id, and databaseId the number', async () => {
  const rest = (await call(gateway, 'GET', '/users/wren')).json;
  const { user } = (await ask('{ user(login: "wren") { id databaseId } }')).data;
  expect(user).toEqual({ id: rest.node_id, databaseId: rest.id });
});

test('An e-mail address that is not public is empty for a user and null for an organization', async () => {
  expect((await ask('{ user(login: "wren") { email } organization(login: "harbor-lab") { email } }')).data).toEqual({
    user: { email: '' },
    organization: { email: null },
  });
});

describe('an avatar', () => {
  const avatar = async (size: string) => ask(`{ user(login: "wren") { avatarUrl(size: ${size}) } }`);

  test('has the requested size', async () => {
    const { data } = await avatar('64');
    expect(data.user.avatarUrl).toMatch(/\.svg\?size=64$/);
    expect(await (await fetch(data.user.avatarUrl)).text()).toContain('width="64" height="64"');
    expect((await avatar('null')).data.user.avatarUrl).toMatch(/\.svg$/);
  });

  test.each(['0', '-1', '2049'])('has no size of %s', async size => {
    const { errors } = await avatar(size);
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test('ignores an invalid size in its URL', async () => {
    const { avatarUrl } = (await ask('{ user(login: "wren") { avatarUrl } }')).data.user;
    for (const size of ['0', '9999', '"><script>']) {
      expect(await (await fetch(`${avatarUrl}?size=${size}`)).text()).toContain('width="420" height="420"');
    }
  });
});

test('A user is related to the viewer', async () => {
  const query =
    '{ tomas: user(login: "tomas") { ...Relation } linh: user(login: "linh") { ...Relation } } fragment Relation on User { isViewer viewerCanFollow viewerIsFollowing }';
  const token = users.linh.classic_token;
  const userId = await globalIdOf(gateway, 'tomas');
  await ask(`mutation { followUser(input: { userId: "${userId}" }) { user { login } } }`, token);
  expect((await ask(query, token)).data).toEqual({
    tomas: { isViewer: false, viewerCanFollow: true, viewerIsFollowing: true },
    linh: { isViewer: true, viewerCanFollow: false, viewerIsFollowing: false },
  });
  const stranger = { isViewer: false, viewerCanFollow: false, viewerIsFollowing: false };
  expect((await ask(query)).data).toEqual({ tomas: stranger, linh: stranger });
});
