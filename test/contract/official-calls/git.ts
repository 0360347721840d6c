import type { OfficialCalls, OfficialWorld } from './official-world.ts';

/** The commit at the tip of main of a new repository, and its tree. */
async function tip(world: OfficialWorld): Promise<{ repository: string; sha: string; tree: string }> {
  const repository = await world.repository();
  const content = Buffer.from('text\n').toString('base64');
  const { json } = await world.send('PUT', `${repository}/contents/a.txt`, world.wren, { message: 'A', content });
  return { repository, sha: json.commit.sha, tree: json.commit.tree.sha };
}

const blobOf = async (world: OfficialWorld, repository: string): Promise<string> =>
  (await world.send('POST', `${repository}/git/blobs`, world.wren, { content: 'text' })).json.sha;
const aTag = (sha: string) => ({ tag: 'v1', message: 'One', object: sha, type: 'commit' });

const below =
  (suffix: (one: { sha: string }) => string): OfficialCalls[string] =>
  async world => {
    const made = await tip(world);
    return { path: `${made.repository}/${suffix(made)}`, authorization: world.wren };
  };

export const gitCalls: OfficialCalls = {
  ListCommits: below(() => 'commits?author=wren&path=a.txt'),
  GetCommit: below(({ sha }) => `commits/${sha}`),
  ListBranches: below(() => 'branches'),
  GetBranch: below(() => 'branches/main'),
  RenameBranch: async world => {
    const { repository } = await tip(world);
    const path = `${repository}/branches/main/rename`;
    return { path, authorization: world.wren, body: { new_name: 'trunk' } };
  },
  CompareCommits: below(({ sha }) => `compare/main...${sha}`),
  GetCombinedStatusForRef: below(() => 'commits/main/status'),
  ListContributors: below(() => 'contributors?anon=1'),
  ListLanguages: below(() => 'languages'),
  ListTags: async () => ({ path: '/repos/harbor-lab/compass/tags' }),
  ListBranchesForHeadCommit: below(({ sha }) => `commits/${sha}/branches-where-head`),
  ListCommitStatusesForRef: below(() => 'commits/main/statuses'),
  ListPullsForCommit: below(({ sha }) => `commits/${sha}/pulls`),
  GetRef: async world => ({ path: `${(await tip(world)).repository}/git/ref/heads/main` }),
  ListMatchingRefs: async world => {
    const { repository } = await tip(world);
    return [{ path: `${repository}/git/matching-refs/heads/ma` }, { path: `${repository}/git/matching-refs/none` }];
  },
  ListBranchRefs: below(() => 'git/refs/heads'),
  ListTagRefs: below(() => 'git/refs/tags'),
  CreateRef: async world => {
    const { repository, sha } = await tip(world);
    return { path: `${repository}/git/refs`, authorization: world.wren, body: { ref: 'refs/heads/next', sha } };
  },
  UpdateRef: async world => {
    const { repository, sha } = await tip(world);
    return { path: `${repository}/git/refs/heads/main`, authorization: world.wren, body: { sha, force: true } };
  },
  DeleteRef: async world => {
    const { repository, sha } = await tip(world);
    await world.send('POST', `${repository}/git/refs`, world.wren, { ref: 'refs/heads/next', sha });
    return { path: `${repository}/git/refs/heads/next`, authorization: world.wren };
  },
  GetTree: async world => {
    const { repository, tree } = await tip(world);
    return [{ path: `${repository}/git/trees/${tree}` }, { path: `${repository}/git/trees/main?recursive=1` }];
  },
  CreateTree: async world => {
    const { repository, tree } = await tip(world);
    const entry = { path: 'b.txt', mode: '100644', type: 'blob', content: 'b' };
    return { path: `${repository}/git/trees`, authorization: world.wren, body: { base_tree: tree, tree: [entry] } };
  },
  GetBlob: async world => {
    const { repository } = await tip(world);
    return { path: `${repository}/git/blobs/${await blobOf(world, repository)}` };
  },
  CreateBlob: async world => {
    const { repository } = await tip(world);
    return {
      path: `${repository}/git/blobs`,
      authorization: world.wren,
      body: { content: 'YQ==', encoding: 'base64' },
    };
  },
  GetTag: async world => {
    const { repository, sha } = await tip(world);
    const { json } = await world.send('POST', `${repository}/git/tags`, world.wren, aTag(sha));
    return { path: `${repository}/git/tags/${json.sha}` };
  },
  CreateTag: async world => {
    const { repository, sha } = await tip(world);
    return { path: `${repository}/git/tags`, authorization: world.wren, body: aTag(sha) };
  },
  CreateGitCommit: async world => {
    const { repository, sha, tree } = await tip(world);
    return {
      path: `${repository}/git/commits`,
      authorization: world.wren,
      body: { message: 'Again', tree, parents: [sha] },
    };
  },
  GetGitCommit: async world => {
    const { repository, sha } = await tip(world);
    return { path: `${repository}/git/commits/${sha}` };
  },
};
