import type { GitPersonInput, GitTextEncodingValue } from '../../../schema/hosting/git-commit.ts';
import type { GitTreeItemInput } from '../../../schema/hosting/git-data.ts';
import type { TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { applyChanges, type TreeChange } from '../../git/apply-changes.ts';
import { encodeTag } from '../../git/commit.ts';
import { assertLinkTarget, maxPathBytes } from '../../git/entry-path.ts';
import { encodeGitText } from '../../git/git-text.ts';
import { createObject, type GitObject, isOid, type Oid } from '../../git/object.ts';
import { findObjects, readCommit, statObject, statObjects } from '../../git/read-objects.ts';
import { isRefName } from '../../git/ref-name.ts';
import type { Repository } from '../../git/repository.ts';
import { emptyTree, entryKind, modes } from '../../git/tree.ts';
import { buildPerson, callerIdentity, currentTimestamp } from '../commits/commit-identities.ts';
import { openToWrite, type WriteCondition } from '../commits/git-commits.queries.ts';
import { storeObjects } from '../commits/store-objects.ts';
import { gitProblems } from '../git-problems.ts';
import { translateGitErrors } from '../pushes/push-errors.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { blobFromBase64 } from './base64.ts';
import type { TreeRow } from './find-tree-entry.ts';
import { type GitObjectRow, gitObjectRow } from './git-objects.queries.ts';
import { blobFromText } from './text-blob.ts';
import { entryOfItem, type TreeEntryInput } from './tree-items.ts';

/** Entries of one new tree. */
export const maxTreeEntries = 50_000;

/** Work of making the blob of an entry: its hash takes 4 µs. */
const stepsPerEntry = 4;
/** Bytes that are encoded and hashed in the time of one step. */
const bytesPerStep = 100;

export interface NewBlob extends WriteCondition {
  content: string | TextInPieces;
  encoding?: GitTextEncodingValue | undefined;
  /** In place of `encoding`. */
  encodingName?: string | null | undefined;
}

/** @throws 422 */
function encodingOf(name: string): GitTextEncodingValue {
  const known = name.toLowerCase();
  if (known === 'base64') return 'base64';
  if (known !== 'utf-8' && known !== 'utf8') throw gitProblems.unknownEncoding();
  return 'utf-8';
}

/** Stores a blob. */
export async function createBlob(
  context: Context,
  address: RepositoryAddress,
  { content, encodingName, ...input }: NewBlob,
): Promise<GitObjectRow> {
  const { row } = await openToWrite(context, address, input);
  const encoding = encodingName == null ? input.encoding : encodingOf(encodingName);
  const blob = await translateGitErrors(() =>
    encoding === 'base64' ? blobFromBase64(content, context.workBudget) : blobFromText(content, context.workBudget),
  );
  await storeObjects(context, row.databaseId, [blob]);
  return gitObjectRow('blob', row, blob.oid);
}

/** The tree of a commit; any other id as it is. Clients send the commit on which the new tree is based as well. */
async function treeOf(repository: Repository, oid: Oid): Promise<Oid> {
  return (await statObject(repository, oid))?.type === 'commit' ? (await readCommit(repository, oid)).tree : oid;
}

export interface NewTree extends WriteCondition {
  baseTreeOid?: string | null | undefined;
  entries: readonly TreeEntryInput[];
  /** In place of `entries`. */
  items?: readonly GitTreeItemInput[] | null | undefined;
}

/** Stores a tree: `baseTree` with changes, or only the given entries. */
export async function createTree(
  context: Context,
  address: RepositoryAddress,
  { baseTreeOid, items, ...input }: NewTree,
): Promise<TreeRow> {
  const { row, store: repository } = await openToWrite(context, address, input);
  if ((items ?? input.entries).length > maxTreeEntries) throw gitProblems.tooManyTreeEntries(maxTreeEntries);
  if (baseTreeOid != null && !isOid(baseTreeOid)) throw gitProblems.baseTreeInvalid();
  const entries = items?.map(entryOfItem) ?? input.entries;
  const named = entries.flatMap(({ oid, mode }) => (oid && mode !== modes.submodule ? [{ oid, mode }] : []));
  const given = baseTreeOid == null ? undefined : await treeOf(repository, baseTreeOid);
  const base = given === emptyTree.oid ? undefined : given;
  const wanted = [...named.map(({ oid }) => oid), ...(base === undefined ? [] : [base])];
  const found = await statObjects(repository, [...new Set(wanted)]);
  if (base !== undefined && found.get(base)?.type !== 'tree') throw gitProblems.baseTreeInvalid();
  for (const { oid, mode } of named) {
    const isTree = mode === modes.directory;
    if (found.get(oid)?.type === (isTree ? 'tree' : 'blob')) continue;
    throw isTree ? gitProblems.treeEntryNotTree(oid) : gitProblems.treeEntryNotBlob(oid);
  }
  const { workBudget } = context;
  const blobs: GitObject[] = [];
  const toChange = ({ path, mode, oid, content }: TreeEntryInput): TreeChange => {
    if (oid != null && content != null) throw gitProblems.treeEntryAmbiguous();
    if (content == null) return { path, entry: oid == null ? undefined : { mode, oid } };
    const blob = createObject('blob', encodeGitText(content, 'content'));
    if (isLink(mode)) assertLinkTarget(path, blob.content);
    blobs.push(blob);
    return { path, entry: { mode, oid: blob.oid } };
  };
  const made = await translateGitErrors(async () => {
    const changes: TreeChange[] = [];
    for (const entry of entries) {
      changes.push(toChange(entry));
      workBudget.spendSteps(stepsPerEntry + (entry.content?.length ?? 0) / bytesPerStep);
      if (workBudget.isTurnDue) await workBudget.turn();
    }
    await assertLinkTargets(repository, entries, found);
    return applyChanges(repository, base, changes);
  });
  const links = new Map([...found].map(([oid, { type }]) => [oid, type]));
  await storeObjects(context, row.databaseId, [...blobs, ...made.objects], links);
  return { ...gitObjectRow('tree', row, made.tree), path: '' };
}

const isLink = (mode: string): boolean => entryKind(mode) === 'symlink';

/** Links whose targets are in memory together. */
const linksPerRead = 500;

/**
 * Checks the targets of links that are given by id. Blobs that are too large for a target are not read.
 * @throws GitError `bad-text`
 */
async function assertLinkTargets(
  repository: Repository,
  entries: readonly TreeEntryInput[],
  heads: ReadonlyMap<Oid, { size: number }>,
): Promise<void> {
  const links = entries.flatMap(({ path, mode, oid }) => (oid != null && isLink(mode) ? [{ path, oid }] : []));
  for (let at = 0; at < links.length; at += linksPerRead) {
    const group = links.slice(at, at + linksPerRead);
    const blobs = await findObjects(
      repository,
      group.flatMap(({ oid }) => ((heads.get(oid)?.size ?? 0) <= maxPathBytes ? [oid] : [])),
    );
    for (const { path, oid } of group) assertLinkTarget(path, blobs.get(oid)?.content ?? Buffer.alloc(0));
  }
}

export interface NewTag extends WriteCondition {
  name: string;
  message: string;
  targetOid: string;
  /** Type that the target must have. */
  targetType?: string | null | undefined;
  tagger?: GitPersonInput | null | undefined;
  timeZone?: string | null | undefined;
}

/** Stores an annotated tag. No ref is created. */
export async function createTag(context: Context, address: RepositoryAddress, input: NewTag): Promise<GitObjectRow> {
  const { row, store: repository } = await openToWrite(context, address, input);
  const { name, message, targetOid, targetType } = input;
  if (!isOid(targetOid)) throw gitProblems.invalidId('object');
  const found = await statObject(repository, targetOid);
  if (found && targetType != null && found.type !== targetType) throw gitProblems.tagTypeWrong(targetType);
  if (input.tagger === null) throw gitProblems.nullNotAllowed('object', 'tagger');
  if (!isRefName(`refs/tags/${name}`)) throw gitProblems.invalidTagName(name);
  if (!found) throw gitProblems.objectMissing();
  const whom = input.tagger ?? (await callerIdentity(context));
  const tagger = buildPerson('tagger', whom, input.tagger?.date, currentTimestamp(context.now(), input.timeZone));
  const content = await translateGitErrors(async () =>
    encodeTag({ target: targetOid, type: found.type, name, tagger, message }),
  );
  const object = createObject('tag', content);
  await storeObjects(context, row.databaseId, [object], new Map([[targetOid, found.type]]));
  return gitObjectRow('tag', row, object.oid);
}
