import type { GitPersonInput, GitTextEncodingValue } from '../../../schema/hosting/git-commit.ts';
import type { GitTreeChange } from '../../../schema/hosting/git-data.ts';
import type { Context } from '../../context/context.ts';
import { applyChanges, type TreeChange } from '../../git/apply-changes.ts';
import { encodeTag } from '../../git/commit.ts';
import { createObject, type GitObject, type Oid } from '../../git/object.ts';
import { statObject, statObjects } from '../../git/read-objects.ts';
import { isRefName } from '../../git/ref-name.ts';
import { buildPerson, callerIdentity, currentTimestamp } from '../commits/commit-identities.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import { storeObjects } from '../commits/store-objects.ts';
import { gitProblems } from '../git-problems.ts';
import { translateGitErrors } from '../pushes/push-errors.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { decodeBase64 } from './base64.ts';
import type { TreeRow } from './find-tree-entry.ts';
import { type GitObjectRow, gitObjectRow } from './git-objects.queries.ts';

/** Stores a blob. */
export async function createBlob(
  context: Context,
  address: RepositoryAddress,
  { content, encoding }: { content: string; encoding: GitTextEncodingValue },
): Promise<GitObjectRow> {
  const { row } = await openContents(context, address, 'contents:write');
  const blob = createObject('blob', encoding === 'base64' ? decodeBase64(content) : Buffer.from(content));
  await storeObjects(context, row.databaseId, [blob]);
  return gitObjectRow('blob', row, blob.oid);
}

/** Stores a tree: `baseTree` with changes, or only the given entries. */
export async function createTree(
  context: Context,
  address: RepositoryAddress,
  { baseTreeOid, entries }: { baseTreeOid?: Oid | null | undefined; entries: readonly GitTreeChange[] },
): Promise<TreeRow> {
  const { row, store: repository } = await openContents(context, address, 'contents:write');
  const named = entries.flatMap(({ oid, mode }) => (oid && mode !== '160000' ? [oid] : []));
  const wanted = [...named, ...(baseTreeOid == null ? [] : [baseTreeOid])];
  const found = await statObjects(repository, [...new Set(wanted)]);
  if (baseTreeOid != null && found.get(baseTreeOid)?.type !== 'tree') throw gitProblems.baseTreeInvalid();
  const notBlob = named.find(oid => found.get(oid)?.type !== 'blob');
  if (notBlob !== undefined) throw gitProblems.treeEntryNotBlob(notBlob);
  const blobs: GitObject[] = [];
  const changes = entries.map(({ path, mode, oid, content }): TreeChange => {
    if (oid != null && content != null) throw gitProblems.treeEntryAmbiguous();
    if (content == null) return { path, entry: oid == null ? undefined : { mode, oid } };
    const blob = createObject('blob', Buffer.from(content));
    blobs.push(blob);
    return { path, entry: { mode, oid: blob.oid } };
  });
  const made = await translateGitErrors(() => applyChanges(repository, baseTreeOid ?? undefined, changes));
  const links = new Map([...found].map(([oid, { type }]) => [oid, type]));
  await storeObjects(context, row.databaseId, [...blobs, ...made.objects], links);
  return { ...gitObjectRow('tree', row, made.tree), path: [] };
}

/** Stores an annotated tag. No ref is created. */
export async function createTag(
  context: Context,
  address: RepositoryAddress,
  input: {
    name: string;
    message: string;
    targetOid: Oid;
    tagger?: GitPersonInput | null | undefined;
    timeZone?: string | null | undefined;
  },
): Promise<GitObjectRow> {
  const { row, store: repository } = await openContents(context, address, 'contents:write');
  const { name, message, targetOid } = input;
  if (input.tagger === null) throw gitProblems.nullNotAllowed('object', 'tagger');
  if (!isRefName(`refs/tags/${name}`)) throw gitProblems.invalidTagName(name);
  const found = await statObject(repository, targetOid);
  if (!found) throw gitProblems.objectMissing();
  const whom = input.tagger ?? (await callerIdentity(context));
  const tagger = buildPerson('tagger', whom, input.tagger?.date, currentTimestamp(context.now(), input.timeZone));
  const object = createObject('tag', encodeTag({ target: targetOid, type: found.type, name, tagger, message }));
  await storeObjects(context, row.databaseId, [object], new Map([[targetOid, found.type]]));
  return gitObjectRow('tag', row, object.oid);
}
