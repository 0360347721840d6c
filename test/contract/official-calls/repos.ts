import type { OfficialCalls } from './official-world.ts';

export const repositoryCalls: OfficialCalls = {
  GetRepo: async ({ wren }) => [
    { path: '/repos/harbor-lab/compass' },
    { path: '/repos/harbor-lab/compass', authorization: wren },
    { path: '/repos/harbor-lab/ledger', authorization: wren },
    // A fork has its parent and its source.
    { path: '/repos/tomas/compass', authorization: wren },
  ],
  ListViewerRepositories: async ({ wren, juniper }) => [
    { path: '/user/repos', authorization: wren },
    { path: '/user/repos', authorization: juniper },
  ],
  CreateRepoForAuthenticatedUser: async ({ wren }) => [
    { path: '/user/repos', authorization: wren, body: { name: 'created' } },
    { path: '/user/repos', authorization: wren, body: { name: 'initialized', auto_init: true, private: true } },
  ],
  CreateRepoInOrg: async ({ wren }) => ({
    path: '/orgs/harbor-lab/repos',
    authorization: wren,
    body: { name: 'created', visibility: 'private' },
  }),
  UpdateRepo: async world => ({
    path: await world.repository(),
    authorization: world.wren,
    body: { description: 'Changed', archived: true },
  }),
  DeleteRepo: async world => ({ path: await world.repository(), authorization: world.wren }),
  Transfer: async world => ({
    path: `${await world.repository()}/transfer`,
    authorization: world.wren,
    body: { new_owner: 'harbor-lab' },
  }),
  CreateUsingTemplate: async world => {
    const path = await world.repository();
    await world.send('PATCH', path, world.wren, { is_template: true });
    return { path: `${path}/generate`, authorization: world.wren, body: { name: 'generated' } };
  },
  Merge: async world => {
    const path = await world.repository();
    const { json } = await world.send('GET', `${path}/commits/main`);
    await world.send('POST', `${path}/git/refs`, world.wren, { ref: 'refs/heads/topic', sha: json.sha });
    await world.send('PUT', `${path}/contents/b`, world.wren, { message: 'b', content: '', branch: 'topic' });
    return { path: `${path}/merges`, authorization: world.wren, body: { base: 'main', head: 'topic' } };
  },
  MergeUpstream: async world => {
    const path = await world.repository();
    const { json } = await world.send('POST', `${path}/forks`, world.juniper, {});
    await world.send('PUT', `${path}/contents/b`, world.wren, { message: 'b', content: '' });
    const fork = `/repos/${json.full_name}/merge-upstream`;
    return { path: fork, authorization: world.juniper, body: { branch: 'main' } };
  },
  CreateFork: async ({ juniper }) => ({
    path: '/repos/harbor-lab/tides/forks',
    authorization: juniper,
    body: { name: 'forked' },
  }),
  GetAllTopics: async () => ({ path: '/repos/harbor-lab/compass/topics' }),
  ReplaceAllTopics: async world => ({
    path: `${await world.repository()}/topics`,
    authorization: world.wren,
    body: { names: ['maps'] },
  }),
  ListPublic: async () => ({ path: '/repositories' }),
  ListUsers: async () => ({ path: '/users?per_page=3' }),
  ListOrganizations: async () => ({ path: '/organizations' }),
  ListReposForUser: async () => ({ path: '/users/tomas/repos' }),
  ListReposForOrg: async ({ wren }) => ({ path: '/orgs/harbor-lab/repos', authorization: wren }),
  ListForks: async () => ({ path: '/repos/harbor-lab/compass/forks' }),
};
