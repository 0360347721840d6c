import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { absent, conflict, notFound, ruleBroken } from '../../errors/errors.ts';
import { applyChanges } from '../../git/apply-changes.ts';
import { encodeCommit } from '../../git/commit.ts';
import { splitPath } from '../../git/entry-path.ts';
import { GitError } from '../../git/git-error.ts';
import { type GitObject, LargeBlob, type Oid, objectOf, sizeOf } from '../../git/object.ts';
import type { Person } from '../../git/person.ts';
import { readCommit } from '../../git/read-objects.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { hasBranches, readRef } from '../../git/refs.ts';
import { type RepositoryInTransaction, repositoryOf } from '../../git/repository.ts';
import { canonicalMode, kindOf, modes, type TreeEntry } from '../../git/tree.ts';
import { entryAt, pathParts } from '../../git/tree-path.ts';
import { fileChangePeople, type GivenWriters } from '../commits/commit-people.ts';
import { gitCommitOf } from '../commits/git-commit.ts';
import { blobOfBase64 } from '../git-data/base64.ts';
import { push } from '../pushes/push.ts';
import { demandPushed, tellingGitErrors } from '../pushes/push-failure.ts';
import type { Brought, PushRequest } from '../pushes/push-request.ts';
import { pusherOf } from '../pushes/push-rights.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { placeOf, writtenItem } from './contents.queries.ts';
import type { Place } from './place.ts';

export interface FileChange extends GivenWriters {
  path: string;
  message: string;
  /** The blob that stands there. */
  sha?: string | null;
  /** The default branch when left out. */
  branch?: string | null;
}

/** What a change is made into, and what it made. */
interface Made {
  commit: GitObject;
  wasThere: boolean;
}

/** Writes one file as one commit. `content` is Base64. */
export async function writeFile(
  context: Context,
  address: RepositoryAddress,
  change: FileChange & { content: string | TextInPieces },
) {
  const { repository, place } = await openForChange(context, address, change);
  const blob = await blobOfBase64(change.content);
  const made = await commitChange(context, repository, change, {
    blob,
    changed(old) {
      if (!old) return modes.file;
      demandSame(change, old);
      // A link or submodule that is written to becomes a file: what was sent is no target of a link.
      return kindOf(old.mode) === 'file' ? canonicalMode(old.mode) : modes.file;
    },
  });
  const item = { path: change.path, sha: blob.oid, size: sizeOf(blob) };
  return {
    __typename: made.wasThere ? ('FileUpdated' as const) : ('FileCreated' as const),
    content: writtenItem(context, place, item),
    commit: gitCommitOf(context, repository, made.commit),
  };
}

/** Takes one file away, as one commit. */
export async function deleteFile(context: Context, address: RepositoryAddress, change: FileChange & { sha: string }) {
  const { repository } = await openForChange(context, address, change);
  const made = await commitChange(context, repository, change, {
    changed(old) {
      if (!old) throw notFound();
      demandSame(change, old);
      return undefined;
    },
  });
  return {
    content: null,
    commit: gitCommitOf(context, repository, made.commit),
  };
}

async function openForChange(
  context: Context,
  address: RepositoryAddress,
  { path, branch }: FileChange,
): Promise<{ repository: OwnedRow; place: Place }> {
  const repository = await repositoryFor(context, address, 'contents:write');
  if (!repository) throw notFound();
  await tellingGitErrors(async () => splitPath(path));
  return { repository, place: placeOf(repository, branch ?? '') };
}

function badPath(message: string): Error {
  return ruleBroken([{ resource: 'Commit', field: 'path', code: 'invalid' }], message);
}

/** Whoever changes what is there says that they know it, by its id. */
function demandSame({ path, sha }: FileChange, old: TreeEntry): void {
  if (kindOf(old.mode) === 'directory' || sha === undefined || sha === null) {
    throw ruleBroken([], 'Invalid request.\n\n"sha" wasn\'t supplied.');
  }
  if (sha !== old.oid) throw conflict({}, `${path} does not match ${sha}`);
}

interface Work {
  blob?: GitObject;
  /** The mode that the file gets, undefined when it goes. Throws where it may not be changed. */
  changed(old: TreeEntry | undefined): string | undefined;
}

/** Builds on wherever the branch stands: others who write it at the same time have their turn before or after. */
async function commitChange(context: Context, repository: OwnedRow, change: FileChange, work: Work): Promise<Made> {
  const branch = change.branch ?? repository.defaultBranch;
  const ref = `refs/heads/${branch}`;
  const people = await fileChangePeople(context, change);
  const outside = repositoryOf(context.read, repository.databaseId);
  const before = await readRef(outside, ref);
  let made: Made | undefined;
  const request: PushRequest = {
    repositoryId: repository.databaseId,
    ...pusherOf(context, repository),
    // What is large is stored before others have to wait for their turn.
    objects: work.blob instanceof LargeBlob ? [work.blob] : [],
    updates: [
      {
        ref,
        async to(head, inside) {
          await demandBranch(inside, { head, branch, isDeletion: !work.blob });
          const { brought, ...rest } = await build(inside, head, { change, work, people });
          made = rest;
          return brought;
        },
      },
    ],
  };
  const result = await tellingGitErrors(() => push(context, request));
  if (result.kind === 'conflict') {
    const none = '0'.repeat(40);
    // In the published words, also where others were only writing for too long.
    throw conflict({}, `is at ${(await readRef(outside, ref)) ?? none} but expected ${before ?? none}`);
  }
  demandPushed(result);
  if (!made) throw new Error(`A push to ${ref} came about without a commit.`);
  return made;
}

async function demandBranch(
  repository: RepositoryInTransaction,
  { head, branch, isDeletion }: { head: Oid | undefined; branch: string; isDeletion: boolean },
): Promise<void> {
  if (head !== undefined) return;
  // Only a repository without any branch gets its first one by writing a file.
  if (isDeletion || (await hasBranches(repository))) throw absent({}, `Branch ${branch} not found`);
  if (!isBranchName(branch)) throw ruleBroken([{ resource: 'Reference', field: 'branch', code: 'invalid' }]);
}

async function build(
  repository: RepositoryInTransaction,
  head: Oid | undefined,
  { change, work, people }: { change: FileChange; work: Work; people: { author: Person; committer: Person } },
): Promise<Made & { brought: Brought }> {
  const base = head === undefined ? undefined : (await readCommit(repository, head)).tree;
  const old = base === undefined ? undefined : await entryAt(repository, base, pathParts(change.path));
  const mode = work.changed(old);
  const entry = mode !== undefined && work.blob ? { mode, oid: work.blob.oid } : undefined;
  const { tree, objects } = await applyChanges(repository, base, [{ path: change.path, entry }]).catch(
    (error: unknown) => {
      if (error instanceof GitError && error.code === 'path-conflict') {
        throw badPath('path leads through a file as if it were a folder');
      }
      throw error;
    },
  );
  const parents = head === undefined ? [] : [head];
  const commit = objectOf('commit', encodeCommit({ tree, parents, ...people, message: change.message }));
  return {
    commit,
    wasThere: old !== undefined,
    brought: {
      to: commit.oid,
      objects: [...(work.blob && !(work.blob instanceof LargeBlob) ? [work.blob] : []), ...objects, commit],
    },
  };
}
