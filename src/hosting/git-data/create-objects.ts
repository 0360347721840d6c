import type { GitPersonInput, GitTextEncodingValue } from '../../../schema/hosting/git-commit.ts';
import type { GitBlob, GitTag, GitTree, GitTreeChange, GitTreeEntry } from '../../../schema/hosting/git-data.ts';
import type { Context } from '../../context/context.ts';
import { applyChanges, type TreeChange } from '../../git/apply-changes.ts';
import { encodeTag } from '../../git/commit.ts';
import { createObject, type GitObject, isOid } from '../../git/object.ts';
import { readTree, statObject, statObjects } from '../../git/read-objects.ts';
import { isRefName } from '../../git/ref-name.ts';
import { entryKind, parseTree, type TreeEntry } from '../../git/tree.ts';
import { buildPerson, callerIdentity, currentTimestamp } from '../commits/commit-identities.ts';
import { toGitPerson } from '../commits/git-commit.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import { storeObjects } from '../commits/store-objects.ts';
import { gitProblems } from '../git-problems.ts';
import { translateGitErrors } from '../pushes/push-errors.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { decodeBase64 } from './base64.ts';

const objectUrl = ({ apiBaseUrl }: Context, { ownerLogin, name }: OwnedRow, kind: string, sha: string): string =>
  `${apiBaseUrl}/repos/${ownerLogin}/${name}/git/${kind}/${sha}`;

/** Stores a blob. */
export async function createBlob(
  context: Context,
  address: RepositoryAddress,
  { content, encoding }: { content: string; encoding: GitTextEncodingValue },
): Promise<GitBlob> {
  const { row } = await openContents(context, address, 'contents:write');
  const blob = createObject('blob', encoding === 'base64' ? decodeBase64(content) : Buffer.from(content));
  await storeObjects(context, row.databaseId, [blob]);
  return { sha: blob.oid, size: blob.content.length, url: objectUrl(context, row, 'blobs', blob.oid) };
}

/** Stores a tree: `baseTree` with changes, or only the given entries. */
export async function createTree(
  context: Context,
  address: RepositoryAddress,
  { baseTree, entries }: { baseTree?: string | null | undefined; entries: readonly GitTreeChange[] },
): Promise<GitTree> {
  const { row, store: repository } = await openContents(context, address, 'contents:write');
  const named = entries.flatMap(({ sha, mode }) => (sha && mode !== '160000' ? [sha] : []));
  const wanted = [...named, ...(baseTree == null ? [] : [baseTree])];
  for (const sha of [...wanted, ...entries.flatMap(({ sha }) => sha ?? [])]) {
    if (!isOid(sha)) throw gitProblems.invalidIds();
  }
  const found = await statObjects(repository, [...new Set(wanted)]);
  if (baseTree != null && found.get(baseTree)?.type !== 'tree') throw gitProblems.baseTreeInvalid();
  const notBlob = named.find(sha => found.get(sha)?.type !== 'blob');
  if (notBlob !== undefined) throw gitProblems.treeEntryNotBlob(notBlob);
  const blobs: GitObject[] = [];
  const changes = entries.map(({ path, mode, sha, content }): TreeChange => {
    if (sha != null && content != null) throw gitProblems.treeEntryAmbiguous();
    if (content == null) return { path, entry: sha == null ? undefined : { mode, oid: sha } };
    const blob = createObject('blob', Buffer.from(content));
    blobs.push(blob);
    return { path, entry: { mode, oid: blob.oid } };
  });
  const made = await translateGitErrors(() => applyChanges(repository, baseTree ?? undefined, changes));
  await storeObjects(context, row.databaseId, [...blobs, ...made.objects]);
  const root = made.objects.find(({ oid }) => oid === made.tree);
  const tree = root ? parseTree(root.content, root.oid) : await readTree(repository, made.tree);
  return { sha: made.tree, url: objectUrl(context, row, 'trees', made.tree), entries: tree.entries.map(toTreeEntry) };
}

function toTreeEntry({ mode, name, oid }: TreeEntry): GitTreeEntry {
  const kind = entryKind(mode);
  const type = kind === 'directory' ? 'tree' : kind === 'submodule' ? 'commit' : 'blob';
  return { name: name.toString(), mode, type, sha: oid };
}

/** Stores an annotated tag. No ref is created. */
export async function createTag(
  context: Context,
  address: RepositoryAddress,
  input: {
    tag: string;
    message: string;
    target: string;
    tagger?: GitPersonInput | null | undefined;
    timeZone?: string | null | undefined;
  },
): Promise<GitTag> {
  const { row, store: repository } = await openContents(context, address, 'contents:write');
  const { tag, message, target } = input;
  if (input.tagger === null) throw gitProblems.nullNotAllowed('object', 'tagger');
  if (!isRefName(`refs/tags/${tag}`)) throw gitProblems.invalidTagName(tag);
  const found = isOid(target) ? await statObject(repository, target) : undefined;
  if (!found) throw gitProblems.objectMissing();
  const whom = input.tagger ?? (await callerIdentity(context));
  const tagger = buildPerson('tagger', whom, input.tagger?.date, currentTimestamp(context.now(), input.timeZone));
  const object = createObject('tag', encodeTag({ target, type: found.type, name: tag, tagger, message }));
  await storeObjects(context, row.databaseId, [object]);
  return { sha: object.oid, tag, message, target, targetType: found.type, tagger: toGitPerson(tagger) };
}
