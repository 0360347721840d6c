import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { type ObjectHead, type ObjectWithContent, readContents, readHeads } from '../../git/batched-objects.ts';
import type { Commit, Tag } from '../../git/commit.ts';
import { parseTag } from '../../git/commit.ts';
import type { ObjectType, Oid } from '../../git/object.ts';
import type { ObjectKey } from '../../git/object-key.ts';
import { missingObject } from '../../git/read-objects.ts';
import { openRepository } from '../../git/repository.ts';
import { maxTagDepth } from '../../git/revision.ts';
import type { Tree } from '../../git/tree.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import { readBlobBase64 } from '../contents/base64-blob.ts';
import { gitProblems } from '../git-problems.ts';
import type { GitPlace } from './git-place.ts';

/** Names in the graph of the types of git objects. */
const typeNames = { commit: 'Commit', tree: 'Tree', blob: 'Blob', tag: 'Tag' } as const;

/** A git object of the graph. Its content is loaded by the fields that need it. */
export interface GitObjectRow {
  __typename: (typeof typeNames)[ObjectType];
  place: GitPlace;
  oid: Oid;
}

/** Largest blob whose text is sent, in bytes. */
export const maxTextBytes = 512 * 1024;

const keyOf = ({ place, oid }: Pick<GitObjectRow, 'place' | 'oid'>): ObjectKey => ({
  repositoryId: place.databaseId,
  oid,
});

type Locator = Pick<GitObjectRow, 'place' | 'oid'>;

/** DataLoader batch function: types and sizes of objects, in one statement. */
export async function loadHeads(context: Context, rows: readonly Locator[]): Promise<(ObjectHead | null)[]> {
  return (await readHeads(context.read, rows.map(keyOf))).map(head => head ?? null);
}

/** DataLoader batch function: objects with their content, in one statement. What exceeds the limit of large values is an error. */
export function loadContents(
  context: Context,
  rows: readonly Locator[],
): Promise<(ObjectWithContent | null | Error)[]> {
  // Twice: the bytes, and the text that is made of them.
  return context.largeValues.read(async left => {
    const { value, bytes } = await readContents(context, rows.map(keyOf), {
      left: left / 2,
      maxBlobBytes: maxTextBytes,
    });
    return {
      value: value.map(one => (one === null ? context.largeValues.tooLarge() : (one ?? null))),
      bytes: 2 * bytes,
    };
  });
}

/** The object with this id, as its type in the graph; null when the repository has none. */
export async function findGitObject(context: Context, place: GitPlace, oid: Oid): Promise<GitObjectRow | null> {
  const head = await context.load(loadHeads, noSelection).load({ place, oid });
  return head && { __typename: typeNames[head.type], place, oid };
}

/** The row of an object whose type is known. */
export const gitObjectRow = (type: ObjectType, place: GitPlace, oid: Oid): GitObjectRow => ({
  __typename: typeNames[type],
  place,
  oid,
});

export const kindOf = (typename: GitObjectRow['__typename']): ObjectType => typename.toLowerCase() as ObjectType;

/** Path of an object below the repositories: `/owner/name/git/blobs/…`. */
export const gitPathOf = ({ ownerLogin, name }: GitPlace, type: ObjectType, oid: Oid): string =>
  `/${ownerLogin}/${name}/git/${type}s/${oid}`;

/** The object with its content; null when the repository does not have it. Loaded once for each row. */
export const contentOf = (context: Context, row: Locator): Promise<ObjectWithContent | null> =>
  context.load(loadContents, noSelection).load(row);

/** @throws GitError `missing` when the repository does not have the commit that a row names */
export async function commitOf(context: Context, row: Locator): Promise<Commit> {
  const found = await contentOf(context, row);
  if (!found?.content) throw missingObject(row.oid);
  return found.content.commit;
}

/** The bytes of a blob in Base64, in lines of 60 characters. @throws 403 for more than 100 MB */
export async function base64Of(context: Context, row: Locator): Promise<string> {
  const { size = 0 } = (await context.load(loadHeads, noSelection).load(row)) ?? {};
  if (size > maxBlobBytes) throw gitProblems.blobTooLargeToShow(100);
  await context.largeValues.reserve(size);
  return readBlobBase64(openRepository(context, row.place.databaseId), row.oid, maxBlobBytes);
}

/** Null for a tree that was never pushed. */
export async function treeOf(context: Context, row: Locator): Promise<Tree | null> {
  const found = await contentOf(context, row);
  return found?.type === 'tree' && found.content ? found.content.tree : null;
}

/** @throws GitError `missing` when the repository does not have the tag that a row names */
export async function tagOf(context: Context, row: Locator): Promise<Tag> {
  const found = await contentOf(context, row);
  if (!found?.content) throw missingObject(row.oid);
  return parseTag(found.content.content, row.oid);
}

/**
 * The object that another leads to through annotated tags; one that is no tag leads to itself. Those of one request are read level by
 * level, two statements for each. @throws GitError `missing`
 */
export async function peeledOf(context: Context, place: GitPlace, oid: Oid, tags = 0): Promise<GitObjectRow> {
  const found = await findGitObject(context, place, oid);
  if (!found) throw missingObject(oid);
  if (found.__typename !== 'Tag' || tags >= maxTagDepth) return found;
  const { target } = await tagOf(context, found);
  return peeledOf(context, place, target, tags + 1);
}
