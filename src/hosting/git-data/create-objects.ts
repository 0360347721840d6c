import type { GitPersonInput, GitTextEncodingValue } from '../../../schema/hosting/git-commit.ts';
import type { GitBlob, GitTag, GitTree, GitTreeChange, GitTreeEntry } from '../../../schema/hosting/git-data.ts';
import type { Context } from '../../context/context.ts';
import { ruleBroken } from '../../errors/errors.ts';
import { applyChanges, type Change } from '../../git/apply-changes.ts';
import { encodeTag } from '../../git/commit.ts';
import { type GitObject, isOid, objectOf } from '../../git/object.ts';
import { readTree, statObject, statObjects } from '../../git/read-objects.ts';
import { isRefName } from '../../git/ref-name.ts';
import { kindOf, parseTree, type TreeEntry } from '../../git/tree.ts';
import { committingCaller, notAn, personOf, presentIn } from '../commits/commit-people.ts';
import { gitPersonOf } from '../commits/git-commit.ts';
import { contentsOf } from '../commits/git-commits.queries.ts';
import { storeObjects } from '../commits/store-objects.ts';
import { tellingGitErrors } from '../pushes/push-failure.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { bytesOfBase64 } from './base64.ts';

const addressOf = ({ base }: Context, { ownerLogin, name }: OwnedRow, kind: string, sha: string): string =>
  `${base}/repos/${ownerLogin}/${name}/git/${kind}/${sha}`;

/** Stores the content of a file. */
export async function createBlob(
  context: Context,
  address: RepositoryAddress,
  { content, encoding }: { content: string; encoding: GitTextEncodingValue },
): Promise<GitBlob> {
  const { row } = await contentsOf(context, address, 'contents:write');
  const blob = objectOf('blob', encoding === 'base64' ? bytesOfBase64(content) : Buffer.from(content));
  await storeObjects(context, row.databaseId, [blob]);
  return { sha: blob.oid, size: blob.content.length, url: addressOf(context, row, 'blobs', blob.oid) };
}

/** Stores a folder: `baseTree` with changes, or the changes alone. */
export async function createTree(
  context: Context,
  address: RepositoryAddress,
  { baseTree, entries }: { baseTree?: string | null | undefined; entries: readonly GitTreeChange[] },
): Promise<GitTree> {
  const { row, store: repository } = await contentsOf(context, address, 'contents:write');
  const named = entries.flatMap(({ sha, mode }) => (sha && mode !== '160000' ? [sha] : []));
  const wanted = [...named, ...(baseTree == null ? [] : [baseTree])];
  for (const sha of [...wanted, ...entries.flatMap(({ sha }) => sha ?? [])]) {
    if (!isOid(sha)) throw ruleBroken([], 'Each SHA must be exactly 40 characters and contain only [0-9a-f].');
  }
  const found = await statObjects(repository, [...new Set(wanted)]);
  if (baseTree != null && found.get(baseTree)?.type !== 'tree')
    throw ruleBroken([], 'base_tree is not a valid tree oid');
  const strange = named.find(sha => found.get(sha)?.type !== 'blob');
  if (strange !== undefined) throw ruleBroken([], `tree.sha ${strange} is not a valid blob`);
  const blobs: GitObject[] = [];
  const changes = entries.map(({ path, mode, sha, content }): Change => {
    if (sha != null && content != null) throw ruleBroken([], 'Must supply either tree.sha or tree.content, not both');
    if (content == null) return { path, entry: sha == null ? undefined : { mode, oid: sha } };
    const blob = objectOf('blob', Buffer.from(content));
    blobs.push(blob);
    return { path, entry: { mode, oid: blob.oid } };
  });
  const made = await tellingGitErrors(() => applyChanges(repository, baseTree ?? undefined, changes));
  await storeObjects(context, row.databaseId, [...blobs, ...made.objects]);
  const root = made.objects.find(({ oid }) => oid === made.tree);
  const tree = root ? parseTree(root.content, root.oid) : await readTree(repository, made.tree);
  return { sha: made.tree, url: addressOf(context, row, 'trees', made.tree), entries: tree.entries.map(entryOf) };
}

function entryOf({ mode, name, oid }: TreeEntry): GitTreeEntry {
  const kind = kindOf(mode);
  const type = kind === 'directory' ? 'tree' : kind === 'submodule' ? 'commit' : 'blob';
  return { name: name.toString(), mode, type, sha: oid };
}

/** Stores a tag with a message. It has no ref yet. */
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
  const { row, store: repository } = await contentsOf(context, address, 'contents:write');
  const { tag, message, target } = input;
  if (input.tagger === null) throw notAn('object', 'tagger');
  if (!isRefName(`refs/tags/${tag}`)) throw ruleBroken([], `${tag.slice(0, 300)} is not a valid tag name.`);
  const found = isOid(target) ? await statObject(repository, target) : undefined;
  if (!found) throw ruleBroken([], 'Object does not exist');
  const whom = input.tagger ?? (await committingCaller(context));
  const tagger = personOf('tagger', whom, input.tagger?.date, presentIn(context.now(), input.timeZone));
  const object = objectOf('tag', encodeTag({ target, type: found.type, name: tag, tagger, message }));
  await storeObjects(context, row.databaseId, [object]);
  return { sha: object.oid, tag, message, target, targetType: found.type, tagger: gitPersonOf(tagger) };
}
