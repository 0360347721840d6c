import type {
  GitBlobDocument,
  GitRefDocument,
  GitTagDocument,
  GitTarget,
  StoredGitBlob,
} from '../../../schema/hosting/git-documents.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import { isStorableText } from '../../db/storable-text.ts';
import { notFound } from '../../errors/errors.ts';
import { parseTag } from '../../git/commit.ts';
import { isOid, type ObjectType, type Oid } from '../../git/object.ts';
import { findObject, statObject, statObjects } from '../../git/read-objects.ts';
import { isRefName } from '../../git/ref-name.ts';
import { hasBranches, listRefs, type Ref, readRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import { toGitPerson, trimTrailingNewlines } from '../commits/git-commit.ts';
import { openContents } from '../commits/git-commits.queries.ts';
import { readBlobBase64 } from '../contents/base64-blob.ts';
import { gitProblems } from '../git-problems.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import type { GitPlace } from './git-place.ts';

type UrlContext = Pick<Context, 'apiBaseUrl'>;

/** REST URL below the git data of a repository: `git/blobs/…`. */
export const gitUrl = ({ apiBaseUrl }: UrlContext, { ownerLogin, name }: GitPlace, path: string): string =>
  `${apiBaseUrl}/repos/${ownerLogin}/${name}/git/${path}`;

export const toTarget = (context: UrlContext, place: GitPlace, type: ObjectType, sha: Oid): GitTarget => ({
  type,
  sha,
  url: gitUrl(context, place, `${type}s/${sha}`),
});

export const toStoredBlob = (context: UrlContext, place: GitPlace, sha: Oid): StoredGitBlob => ({
  sha,
  url: gitUrl(context, place, `blobs/${sha}`),
});

/**
 * The result of a look-up.
 * @throws 409 when nothing was found in an empty repository, 404 when nothing was found in another
 */
export async function foundIn<T>(store: Repository, found: T | null | undefined): Promise<T> {
  if (found != null) return found;
  throw (await hasBranches(store)) ? notFound() : gitProblems.repositoryEmpty();
}

/** Refs as documents, with one statement for the types of their objects. */
export async function toRefDocuments(
  context: UrlContext,
  place: GitPlace,
  { store, refs }: { store: Repository; refs: readonly Ref[] },
): Promise<GitRefDocument[]> {
  const types = await statObjects(store, [...new Set(refs.map(({ oid }) => oid))]);
  return refs.map(({ name, oid }) => ({
    ref: name,
    nodeId: encodeGlobalId('Ref', `${place.databaseId}:${name}`),
    url: gitUrl(context, place, name),
    object: toTarget(context, place, types.get(oid)?.type ?? 'commit', oid),
  }));
}

/** The ref with this name below `refs/`. @throws 404, 409 */
export async function findRefDocument(
  context: Context,
  address: RepositoryAddress,
  name: string,
): Promise<GitRefDocument> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const ref = `refs/${name}`;
  const oid = await foundIn(store, isRefName(ref) ? await readRef(store, ref) : undefined);
  const [document] = await toRefDocuments(context, row, { store, refs: [{ name: ref, oid }] });
  return foundIn(store, document);
}

/** Refs in one answer. A part of them would pass for all. */
const maxRefs = 10_000;

/** The refs whose names begin with `refs/` and a text, by name. @throws 409; 422 for more than `maxRefs` */
export async function findMatchingRefs(
  context: Context,
  address: RepositoryAddress,
  start: string,
): Promise<GitRefDocument[]> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const prefix = `refs/${start}`;
  const refs = isStorableText(prefix) ? await listRefs(store, { prefix, limit: maxRefs + 1 }) : [];
  if (refs.length > maxRefs) throw gitProblems.tooManyRefs(maxRefs);
  if (refs.length === 0 && !(await hasBranches(store))) throw gitProblems.repositoryEmpty();
  return toRefDocuments(context, row, { store, refs });
}

/** The blob with this id, or a reference to its bytes. @throws 404, 409; 403 for more than 100 MB */
export async function findBlobDocument(
  context: Context,
  address: RepositoryAddress,
  { sha, isRaw }: { sha: string; isRaw: boolean },
) {
  const { row, store } = await openContents(context, address, 'contents:read');
  const oid = sha.toLowerCase();
  const found = isOid(oid) ? await statObject(store, oid) : undefined;
  const { size } = await foundIn(store, found?.type === 'blob' ? found : undefined);
  if (size > maxBlobBytes) throw gitProblems.blobTooLargeToShow(100);
  if (isRaw) {
    const handle = `${store.id}:${oid}`;
    const facts = { handle, mediaType: 'application/octet-stream', size, etag: oid, lastModified: null };
    return { __typename: 'RawContent' as const, ...facts };
  }
  await context.largeValues.reserve(size);
  const document: GitBlobDocument = {
    sha: oid,
    nodeId: encodeGlobalId('Blob', `${row.databaseId}:${oid}`),
    url: gitUrl(context, row, `blobs/${oid}`),
    size,
    content: await readBlobBase64(store, oid, maxBlobBytes),
  };
  return { __typename: 'GitBlobDocument' as const, ...document };
}

/** The annotated tag with this id. @throws 404, 409 */
export async function findTagDocument(
  context: Context,
  address: RepositoryAddress,
  sha: string,
): Promise<GitTagDocument> {
  const { row, store } = await openContents(context, address, 'contents:read');
  const oid = sha.toLowerCase();
  const head = isOid(oid) ? await statObject(store, oid) : undefined;
  const object = await foundIn(store, head?.type === 'tag' ? await findObject(store, oid) : undefined);
  const tag = parseTag(object.content, oid);
  return {
    sha: oid,
    nodeId: encodeGlobalId('Tag', `${row.databaseId}:${oid}`),
    url: gitUrl(context, row, `tags/${oid}`),
    tag: tag.name.toString(),
    message: trimTrailingNewlines(tag.message.toString()),
    tagger: tag.tagger ? toGitPerson(tag.tagger) : null,
    object: toTarget(context, row, tag.type as ObjectType, tag.target),
  };
}
