import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { lockAgainstCollection } from '../../git/collection-lock.ts';
import { copyObjects } from '../../git/copy-objects.ts';
import { createObject, type GitObject, type Oid } from '../../git/object.ts';
import { reachableObjects } from '../../git/reachable.ts';
import { readCommit } from '../../git/read-objects.ts';
import { listRefs, type Ref, readRef } from '../../git/refs.ts';
import { openInTransaction, openRepository, type Repository } from '../../git/repository.ts';
import { emptyTree } from '../../git/tree.ts';
import { resolveCommitIdentities } from '../commits/commit-identities.ts';
import { commitEncoder } from '../commits/service-signer.ts';
import { createByPush } from './create-by-push.ts';
import { createInTransaction, type NewRepository, requireCreatable } from './create-repository.ts';
import { type RepositoryAddress, repositoryFor } from './repositories.queries.ts';

/** Branches that are copied together. */
const maxBranches = 100;

const message = 'Initial commit';
const prefix = 'refs/heads/';

const templateProblem = (text: string): Error =>
  validationFailed([{ resource: 'Repository', field: 'template', code: 'custom', message: text }]);

export type TemplateCopy = Pick<NewRepository, 'ownerId' | 'name' | 'description' | 'isPrivate'> & {
  /** Whether all branches are copied, and not the default branch alone. */
  includeAllBranches?: boolean | null | undefined;
};

/**
 * Creates a repository with the files of a template: one commit without parents for each branch. Repository and branches are one
 * transaction. Returns its id; a template without branches makes an empty repository.
 *
 * @throws 404 for a template that the caller cannot read; 422 for another repository, and as `createRepository`; 409 when rules of
 *   the owner refuse the push
 */
export async function createFromTemplate(
  context: Context,
  address: RepositoryAddress,
  { includeAllBranches, ...input }: TemplateCopy,
): Promise<number> {
  const template = await repositoryFor(context, address, 'contents:read', new Map([['isTemplate', new Map()]]));
  if (!template) throw notFound();
  if (!template.isTemplate) throw templateProblem('The repository is not a template.');
  const { databaseId: templateId, defaultBranch } = template;
  const settings = { ...input, defaultBranch, templateId };
  const ownerId = await requireCreatable(context, settings);
  const store = openRepository(context, templateId);
  const branches = await branchesOf(store, includeAllBranches ? undefined : defaultBranch);
  if (branches.length === 0) return context.transaction(db => createInTransaction(db, context, ownerId, settings));
  const { objects, trees, updates } = await encodeCommits(context, store, branches);
  return createByPush(context, ownerId, settings, {
    updates,
    objects,
    async store(target) {
      await lockAgainstCollection(target.db, templateId);
      const from = openInTransaction(target.db, store);
      const oids: Oid[] = [];
      for await (const { oid } of reachableObjects(from, trees)) oids.push(oid);
      return { ...(await copyObjects(target, from, oids)), oids, unreachableFrom: async () => [] };
    },
  });
}

/** The default branch, or all branches; empty for an empty repository. */
async function branchesOf(store: Repository, defaultBranch: string | undefined): Promise<Ref[]> {
  if (defaultBranch === undefined) {
    const branches = await listRefs(store, { prefix, limit: maxBranches + 1 });
    if (branches.length > maxBranches) throw templateProblem(`A template has at most ${maxBranches} branches.`);
    return branches;
  }
  const name = `${prefix}${defaultBranch}`;
  const oid = await readRef(store, name);
  return oid === undefined ? [] : [{ name, oid }];
}

/** A commit without parents for each branch; branches with the same files get the same one. */
async function encodeCommits(context: Context, store: Repository, branches: readonly Ref[]) {
  const encode = await commitEncoder(context, await resolveCommitIdentities(context, {}), true);
  const byTree = new Map<Oid, GitObject>();
  const updates: { ref: string; expected: null; to: Oid }[] = [];
  for (const { name, oid } of branches) {
    const { tree } = await readCommit(store, oid);
    const commit = byTree.get(tree) ?? createObject('commit', await encode({ tree, parents: [], message }));
    byTree.set(tree, commit);
    updates.push({ ref: name, expected: null, to: commit.oid });
  }
  const trees = [...byTree.keys()];
  const commits = [...byTree.values()];
  // It need not be stored.
  const isEmptyTree = (tree: Oid): boolean => tree === emptyTree.oid;
  return {
    updates,
    trees: trees.filter(tree => !isEmptyTree(tree)),
    objects: trees.some(isEmptyTree) ? [emptyTree, ...commits] : commits,
  };
}
