import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { applyChanges } from '../../git/apply-changes.ts';
import { splitPath } from '../../git/entry-path.ts';
import { GitError } from '../../git/git-error.ts';
import { createObject, type GitObject, LargeBlob, type Oid, objectSize } from '../../git/object.ts';
import { readCommit } from '../../git/read-objects.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { hasBranches, readRef } from '../../git/refs.ts';
import { openRepository, type RepositoryInTransaction } from '../../git/repository.ts';
import { branchTipColumn, defaultBranchTipColumn } from '../../git/revision.ts';
import { canonicalMode, entryKind, modes, type TreeEntry } from '../../git/tree.ts';
import { findEntry, pathParts } from '../../git/tree-path.ts';
import { type FileIdentityInput, resolveFileIdentities } from '../commits/commit-identities.ts';
import { type CommitEncoder, commitEncoder, isSignedForCaller } from '../commits/service-signer.ts';
import { blobFromBase64 } from '../git-data/base64.ts';
import { gitObjectRow } from '../git-data/git-objects.queries.ts';
import { gitProblems } from '../git-problems.ts';
import { push } from '../pushes/push.ts';
import { assertPushed, translateGitErrors } from '../pushes/push-errors.ts';
import type { NewObjects, PushRequest } from '../pushes/push-request.ts';
import { pusherFor } from '../pushes/push-rights.ts';
import { type OwnedRow, type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { type ContentLocation, locationOf } from './content-location.ts';
import { contentUrls } from './content-urls.ts';

export interface FileChange extends FileIdentityInput {
  path: string;
  message: string;
  /** Id of the blob that the change replaces. */
  blobOid?: string | null;
  /** The default branch when absent. */
  branch?: string | null;
}

/** A new commit, and whether the file existed before. */
interface BuiltCommit {
  commit: GitObject;
  existed: boolean;
  /** Mode of the file; undefined if the commit deletes it. */
  mode: string | undefined;
}

/** Creates or replaces one file with one commit. `content` is Base64. */
export async function writeFile(
  context: Context,
  address: RepositoryAddress,
  change: FileChange & { content: string | TextInPieces },
) {
  const { repository, location, tip } = await openForChange(context, address, change);
  const blob = await blobFromBase64(change.content, context.workBudget);
  const built = await commitChange(context, { repository, tip }, change, {
    blob,
    modeAfter(old) {
      // The id of a replaced blob says nothing about a path that is free.
      if (!old) return modes.file;
      assertShaMatches(change, old);
      // A symbolic link or submodule is replaced by a regular file: the content that was sent is not a link target.
      return entryKind(old.mode) === 'file' ? canonicalMode(old.mode) : modes.file;
    },
  });
  const item = { path: change.path, sha: blob.oid, size: objectSize(blob) };
  return {
    __typename: built.existed ? ('FileUpdated' as const) : ('FileCreated' as const),
    content: writtenItem(context, location, item),
    commit: gitObjectRow('commit', repository, built.commit.oid),
    place: repository,
    entry: {
      mode: built.mode ?? modes.file,
      name: Buffer.from(item.path.slice(item.path.lastIndexOf('/') + 1)),
      oid: blob.oid,
    },
  };
}

/** Deletes one file with one commit. */
export async function deleteFile(
  context: Context,
  address: RepositoryAddress,
  change: FileChange & { blobOid: string },
) {
  const { repository, tip } = await openForChange(context, address, change);
  const built = await commitChange(context, { repository, tip }, change, {
    modeAfter(old) {
      if (!old) throw notFound();
      assertShaMatches(change, old);
      return undefined;
    },
  });
  return {
    content: null,
    commit: gitObjectRow('commit', repository, built.commit.oid),
  };
}

/** The item that describes a file that was just written. */
function writtenItem(
  context: Context,
  location: ContentLocation,
  { path, sha, size }: { path: string; sha: Oid; size: number },
) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    type: 'file',
    size,
    name,
    path,
    sha,
    ...contentUrls(context, location, { kind: 'file', path, sha }),
    submoduleGitUrl: null,
  };
}

/** The repository and the current tip of the branch, in one statement. */
async function openForChange(
  context: Context,
  address: RepositoryAddress,
  { path, branch }: FileChange,
): Promise<{ repository: OwnedRow; location: ContentLocation; tip: Oid | undefined }> {
  const tipColumn = branch == null ? defaultBranchTipColumn : branchTipColumn(branch);
  const repository = await repositoryFor(context, address, 'contents:write', undefined, tipColumn);
  if (!repository) throw notFound();
  await translateGitErrors(async () => splitPath(path));
  return { repository, location: locationOf(repository, branch ?? ''), tip: repository.extraColumn?.toString('hex') };
}

/** A client that changes an existing file must send its current blob id. */
function assertShaMatches({ path, blobOid }: FileChange, old: TreeEntry): void {
  if (entryKind(old.mode) === 'directory' || blobOid === undefined || blobOid === null) {
    throw gitProblems.shaNotSupplied();
  }
  if (blobOid !== old.oid) throw gitProblems.shaMismatch(path, blobOid);
}

interface FileEdit {
  blob?: GitObject;
  /** The new mode of the file; undefined to delete it. Throws when the change is not allowed. */
  modeAfter(old: TreeEntry | undefined): string | undefined;
}

/** Commits on top of the current tip of the branch; concurrent writers of the branch are serialised. */
async function commitChange(
  context: Context,
  { repository, tip }: { repository: OwnedRow; tip: Oid | undefined },
  change: FileChange,
  edit: FileEdit,
): Promise<BuiltCommit> {
  const branch = change.branch ?? repository.defaultBranch;
  const ref = `refs/heads/${branch}`;
  const people = await resolveFileIdentities(context, change);
  const encode = await commitEncoder(context, people, isSignedForCaller(context, change));
  let built: BuiltCommit | undefined;
  const request: PushRequest = {
    repositoryId: repository.databaseId,
    ...pusherFor(context, repository),
    // Large blobs are stored before the ref is locked.
    objects: edit.blob instanceof LargeBlob ? [edit.blob] : [],
    updates: [
      {
        ref,
        async to(head, inside) {
          await assertBranchWritable(inside, { head, branch, isDeletion: !edit.blob });
          const { newObjects, ...rest } = await buildCommit(inside, head, { change, edit, encode });
          built = rest;
          return newObjects;
        },
      },
    ],
  };
  const result = await translateGitErrors(() => push(context, request));
  if (result.kind === 'conflict') {
    const none = '0'.repeat(40);
    const current = await readRef(openRepository(context, repository.databaseId), ref);
    // The published message, also for a timeout.
    throw gitProblems.branchMoved({ actual: current ?? none, expected: tip ?? none });
  }
  assertPushed(result);
  if (!built) throw new Error(`The push to ${ref} succeeded without a commit.`);
  return built;
}

async function assertBranchWritable(
  repository: RepositoryInTransaction,
  { head, branch, isDeletion }: { head: Oid | undefined; branch: string; isDeletion: boolean },
): Promise<void> {
  if (head !== undefined) return;
  // Only an empty repository gets its first branch from a file.
  if (isDeletion || (await hasBranches(repository))) throw gitProblems.branchAbsent(branch);
  if (!isBranchName(branch)) throw gitProblems.invalidBranchName();
}

async function buildCommit(
  repository: RepositoryInTransaction,
  head: Oid | undefined,
  { change, edit, encode }: { change: FileChange; edit: FileEdit; encode: CommitEncoder },
): Promise<BuiltCommit & { newObjects: NewObjects }> {
  const base = head === undefined ? undefined : (await readCommit(repository, head)).tree;
  const old = base === undefined ? undefined : await findEntry(repository, base, pathParts(change.path));
  const mode = edit.modeAfter(old);
  const entry = mode !== undefined && edit.blob ? { mode, oid: edit.blob.oid } : undefined;
  const { tree, objects } = await applyChanges(repository, base, [{ path: change.path, entry }]).catch(
    (error: unknown) => {
      if (error instanceof GitError && error.code === 'path-conflict') {
        throw gitProblems.pathThroughFile();
      }
      throw error;
    },
  );
  const parents = head === undefined ? [] : [head];
  const commit = createObject('commit', await encode({ tree, parents, message: change.message }));
  return {
    commit,
    existed: old !== undefined,
    mode,
    newObjects: {
      to: commit.oid,
      objects: [...(edit.blob && !(edit.blob instanceof LargeBlob) ? [edit.blob] : []), ...objects, commit],
    },
  };
}
