import type {
  GitRefDocument,
  GitTagDocument,
  GitTreeDocument,
  GitTreeItemInput,
  StoredGitBlob,
} from '../../../schema/hosting/git-documents.ts';
import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { isOid, type Oid } from '../../git/object.ts';
import { statObject } from '../../git/read-objects.ts';
import { openRepository } from '../../git/repository.ts';
import { modes } from '../../git/tree.ts';
import { openNonEmpty } from '../commits/git-commits.queries.ts';
import { gitProblems } from '../git-problems.ts';
import type { RefChange } from '../pushes/prepared-push.ts';
import { assertPushed } from '../pushes/push-errors.ts';
import type { PushResult } from '../pushes/push-request.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { createRef, deleteRef, updateRef } from './change-refs.ts';
import {
  createBlob,
  createTag,
  createTree,
  maxTreeEntries,
  type NewTag,
  type TreeEntryInput,
} from './create-objects.ts';
import { findTagDocument, toRefDocuments, toStoredBlob } from './git-documents.ts';
import { toTreeDocument } from './list-tree.ts';
import type { RefRow } from './refs.queries.ts';

function oidOf(text: string, parameter: 'object' | 'sha'): Oid {
  if (!isOid(text)) throw gitProblems.invalidId(parameter);
  return text;
}

/** The ref endpoints publish a refusal by rules as 422, unlike the others. */
function assertRefPushed(result: PushResult): RefChange[] {
  if (result.kind === 'refused') throw gitProblems.refRefused(result.violations.map(({ message }) => message));
  return assertPushed(result);
}

async function toRefDocument(context: Context, { place, fullName, oid }: RefRow): Promise<GitRefDocument> {
  const refs = [{ name: fullName, oid }];
  const store = openRepository(context, place.databaseId);
  const [document] = await toRefDocuments(context, place, { store, refs });
  if (!document) throw gitProblems.refMissing();
  return document;
}

/** @throws 409, 422 */
export async function restCreateRef(
  context: Context,
  address: RepositoryAddress,
  { ref, sha }: { ref: string; sha: string },
): Promise<GitRefDocument> {
  await openNonEmpty(context, address, 'contents:write');
  const oid = oidOf(sha, 'sha');
  return toRefDocument(context, await createRef(context, address, { name: ref, oid }, assertRefPushed));
}

/** `ref`: name below `refs/`. @throws 409, 422 */
export async function restUpdateRef(
  context: Context,
  address: RepositoryAddress,
  { ref, sha, force }: { ref: string; sha: string; force?: boolean | null | undefined },
): Promise<GitRefDocument> {
  await openNonEmpty(context, address, 'contents:write');
  const change = { name: `refs/${ref}`, oid: oidOf(sha, 'sha'), isForced: force };
  return toRefDocument(context, await updateRef(context, address, change, assertRefPushed));
}

/** `ref`: name below `refs/`. @throws 409, 422 */
export async function restDeleteRef(context: Context, address: RepositoryAddress, ref: string): Promise<void> {
  await openNonEmpty(context, address, 'contents:write');
  await deleteRef(context, address, { name: `refs/${ref}` }, assertRefPushed);
}

/** @throws 409, 422 */
export async function restCreateBlob(
  context: Context,
  address: RepositoryAddress,
  { content, encoding }: { content: string | TextInPieces; encoding: string },
): Promise<StoredGitBlob> {
  await openNonEmpty(context, address, 'contents:write');
  const name = encoding.toLowerCase();
  if (!['utf-8', 'utf8', 'base64'].includes(name)) throw gitProblems.unknownEncoding();
  const blob = await createBlob(context, address, { content, encoding: name === 'base64' ? 'base64' : 'utf-8' });
  return toStoredBlob(context, blob.place, blob.oid);
}

/** @throws 409, 422 */
export async function restCreateTree(
  context: Context,
  address: RepositoryAddress,
  { tree, baseTree }: { tree: readonly GitTreeItemInput[]; baseTree?: string | null | undefined },
): Promise<GitTreeDocument> {
  await openNonEmpty(context, address, 'contents:write');
  if (tree.length > maxTreeEntries) throw gitProblems.tooManyTreeEntries(maxTreeEntries);
  if (baseTree != null && !isOid(baseTree)) throw gitProblems.baseTreeInvalid();
  const made = await createTree(context, address, { baseTreeOid: baseTree, entries: tree.map(toTreeEntry) });
  return toTreeDocument(context, made.place, made.oid, false);
}

const knownModes: readonly string[] = Object.values(modes);

function toTreeEntry({ path, mode, sha, content }: GitTreeItemInput): TreeEntryInput {
  if (sha === null && content == null) return { path, mode: modes.file };
  const stored = mode?.replace(/^0/, '');
  if (stored === undefined || (sha == null && content == null)) throw gitProblems.treeEntryIncomplete();
  if (!knownModes.includes(stored)) throw gitProblems.treeEntryMode();
  if (content != null && (stored === modes.directory || stored === modes.submodule))
    throw gitProblems.treeEntryIncomplete();
  return { path, mode: stored, oid: sha == null ? null : oidOf(sha, 'sha'), content: content ?? null };
}

/** @throws 409, 422 */
export async function restCreateTag(
  context: Context,
  address: RepositoryAddress,
  { object, type, ...tag }: Omit<NewTag, 'targetOid'> & { object: string; type: string },
): Promise<GitTagDocument> {
  const { store } = await openNonEmpty(context, address, 'contents:write');
  const targetOid = oidOf(object, 'object');
  const found = await statObject(store, targetOid);
  if (found && found.type !== type) throw gitProblems.tagTypeWrong(type);
  const made = await createTag(context, address, { ...tag, targetOid });
  return findTagDocument(context, address, made.oid);
}
