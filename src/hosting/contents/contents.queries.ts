import type { ContentFormName } from '../../../schema/hosting/content.ts';
import type { Context } from '../../context/context.ts';
import { forbidden } from '../../errors/errors.ts';
import type { Oid } from '../../git/object.ts';
import { findObject, openBlob, statObjects } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { kindOf, type TreeEntry } from '../../git/tree.ts';
import { entryAt, pathParts } from '../../git/tree-path.ts';
import { largestBlob } from '../../git/write-blob.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { blobUpTo } from './blob-text.ts';
import { urlsOf } from './content-urls.ts';
import { encodedBlob } from './encoded-blob.ts';
import { lastModified } from './last-modified.ts';
import { openVersion } from './open-version.ts';
import type { Place } from './place.ts';
import { renderHtml } from './render-html.ts';
import { followLink, type Version } from './resolve-path.ts';
import { submodulesOf } from './submodules.ts';

/** Up to here a file is served in every form; beyond, as bytes or without its content. */
const largestShown = 1024 * 1024;
/** Items of a folder that are listed: the published cut, without a sign of it. */
const mostEntries = 1_000;

export interface ContentWish {
  path: string;
  /** Empty for the default branch. */
  ref: string;
  form: ContentFormName;
  /** Of the contract; only what a folder says of submodules depends on it. */
  version: string;
}

/** Everything that reading one path goes by. */
export interface Reading {
  context: Context;
  repository: Repository;
  place: Place;
  at: Version;
  wish: Pick<ContentWish, 'form' | 'version'>;
}

/** The repository at a version, for reading its contents. Null when the caller may not see it. */
export async function openReading(
  context: Context,
  address: RepositoryAddress,
  wish: Omit<ContentWish, 'path'>,
): Promise<Reading | null> {
  const found = await openVersion(context, address, wish.ref);
  if (!found) return null;
  const { row, repository, at } = found;
  return { context, repository, place: placeOf(row, wish.ref), at, wish };
}

export function placeOf(row: OwnedRow, ref: string): Place {
  return {
    repositoryId: row.databaseId,
    owner: row.ownerLogin,
    name: row.name,
    isPrivate: row.isPrivate,
    ref: ref === '' ? row.defaultBranch : ref,
  };
}

/** What stands at a path, as one of the types of RepositoryContent; null when there is nothing to see. */
export async function contentAt(context: Context, address: RepositoryAddress, wish: ContentWish) {
  const reading = await openReading(context, address, wish);
  if (!reading) return null;
  const parts = pathParts(wish.path);
  if (parts.length === 0) return directory(reading, reading.at.tree, parts);
  const entry = await entryAt(reading.repository, reading.at.tree, parts);
  return entry ? contentOf(reading, entry, parts) : null;
}

/** `parts`: of the path, each byte a character. */
export async function contentOf(reading: Reading, entry: TreeEntry, parts: readonly string[]) {
  switch (kindOf(entry.mode)) {
    case 'directory':
      return directory(reading, entry.oid, parts);
    case 'submodule':
      return submodule(reading, entry, parts);
    case 'symlink':
      return symlink(reading, entry, parts);
    case 'file':
      return file(reading, entry.oid, { entry, parts }, await touched(reading, parts));
  }
}

function touched({ repository, at }: Reading, parts: readonly string[]): Promise<string | null> {
  return lastModified(repository, at.commit, parts);
}

/** The text of a path: bytes that are no UTF-8 become U+FFFD. */
function textOf(parts: readonly string[]): string {
  return Buffer.from(parts.join('/'), 'latin1').toString();
}

function named(parts: readonly string[]): { name: string; path: string } {
  return { name: textOf(parts.slice(-1)), path: textOf(parts) };
}

/** `source`: the blob whose bytes are sent, which for a link is that of the file it leads to. */
async function file(
  { context, repository, place, wish }: Reading,
  source: Oid,
  { entry, parts }: { entry: TreeEntry; parts: readonly string[] },
  modified: string | null,
) {
  const blob = await openBlob(repository, source);
  // A tree may name what nobody has brought.
  if (!blob) return null;
  const { size } = blob;
  if (size > largestBlob) throw tooLarge(100);
  if (wish.form === 'RAW') {
    const handle = `${repository.id}:${source}`;
    const mediaType = 'application/octet-stream';
    return { __typename: 'RawContent', handle, mediaType, size, etag: source, lastModified: modified } as const;
  }
  const item = named(parts);
  if (wish.form === 'HTML') {
    const bytes = size > largestShown ? undefined : await blobUpTo(repository, source, largestShown);
    if (!bytes) throw tooLarge(1);
    const page = await renderHtml({ name: item.name, oid: source, bytes });
    context.largeValues.take(page.text.length);
    return { __typename: 'RenderedContent', ...page, lastModified: modified } as const;
  }
  const shown = size <= largestShown;
  if (shown) context.largeValues.take(size);
  return {
    __typename: 'FileContent',
    type: 'file',
    encoding: shown ? 'base64' : 'none',
    size,
    ...item,
    content: shown ? await encodedBlob(repository, source, largestShown) : '',
    sha: entry.oid,
    ...urlsOf(context, place, { kind: 'file', path: item.path, sha: source, object: entry.oid }),
    etag: source,
    lastModified: modified,
  } as const;
}

function tooLarge(megabytes: number): Error {
  return forbidden(
    { errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }] },
    `This API returns blobs up to ${megabytes} MB in size. The requested blob is too large to fetch via the API.`,
  );
}

async function symlink(reading: Reading, entry: TreeEntry, parts: readonly string[]) {
  const { context, repository, at, place } = reading;
  const { target, file: end } = await followLink(repository, at.tree, parts, entry);
  const modified = await touched(reading, parts);
  if (end) {
    // Either may have changed last: the link, or what it leads to.
    const other = await touched(reading, end.parts);
    const latest = modified === null || other === null ? null : ([modified, other].toSorted()[1] ?? null);
    return file(reading, end.entry.oid, { entry, parts }, latest);
  }
  const item = named(parts);
  return {
    __typename: 'SymlinkContent',
    type: 'symlink',
    target,
    size: Buffer.byteLength(target),
    ...item,
    sha: entry.oid,
    ...urlsOf(context, place, { kind: 'symlink', path: item.path, sha: entry.oid }),
    etag: entry.oid,
    lastModified: modified,
  } as const;
}

async function submodule(reading: Reading, entry: TreeEntry, parts: readonly string[]) {
  const { context, repository, at, place } = reading;
  const item = named(parts);
  const source = (await submodulesOf(repository, at.tree)).get(item.path) ?? null;
  return {
    __typename: 'SubmoduleContent',
    type: 'submodule',
    submoduleGitUrl: source,
    size: 0,
    ...item,
    sha: entry.oid,
    ...urlsOf(context, place, { kind: 'submodule', path: item.path, sha: entry.oid, source }),
    etag: entry.oid,
    lastModified: await touched(reading, parts),
  } as const;
}

/** In any form but `object` a folder is its list: there are no bytes and no page of it. */
async function directory(reading: Reading, tree: Oid, parts: readonly string[]) {
  const { context, repository, place, wish } = reading;
  const found = await findObject(repository, tree);
  if (found?.type !== 'tree') return null;
  const entries = await entriesOf(reading, found.tree.entries.slice(0, mostEntries), parts);
  const facts = { entries, etag: tree, lastModified: await touched(reading, parts) };
  if (wish.form !== 'OBJECT') return { __typename: 'DirectoryListing', ...facts } as const;
  const item = named(parts);
  return {
    __typename: 'DirectoryContent',
    type: 'dir',
    size: 0,
    ...item,
    sha: tree,
    ...urlsOf(context, place, { kind: 'directory', path: item.path, sha: tree }),
    ...facts,
  } as const;
}

const typeNames = { file: 'file', directory: 'dir', symlink: 'symlink', submodule: 'submodule' } as const;

async function entriesOf(reading: Reading, entries: readonly TreeEntry[], folder: readonly string[]) {
  const { context, repository, at, place, wish } = reading;
  const isBlob = ({ mode }: TreeEntry): boolean => ['file', 'symlink'].includes(kindOf(mode));
  const sizes = await statObjects(
    repository,
    entries.filter(isBlob).map(({ oid }) => oid),
  );
  const modules = entries.some(({ mode }) => kindOf(mode) === 'submodule')
    ? await submodulesOf(repository, at.tree)
    : undefined;
  return entries.map(entry => {
    const kind = kindOf(entry.mode);
    const item = named([...folder, entry.name.toString('latin1')]);
    const source = kind === 'submodule' ? (modules?.get(item.path) ?? null) : null;
    // The older version of the contract calls submodules files, in folders alone.
    const isOld = kind === 'submodule' && wish.version < '2026-03-10';
    return {
      type: isOld ? 'file' : typeNames[kind],
      size: sizes.get(entry.oid)?.size ?? 0,
      ...item,
      sha: entry.oid,
      ...urlsOf(context, place, { kind, path: item.path, sha: entry.oid, source }),
      submoduleGitUrl: source,
    };
  });
}

/** A file that has just been written, as an item. */
export function writtenItem(
  context: Context,
  place: Place,
  { path, sha, size }: { path: string; sha: Oid; size: number },
) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    type: 'file',
    size,
    name,
    path,
    sha,
    ...urlsOf(context, place, { kind: 'file', path, sha }),
    submoduleGitUrl: null,
  };
}
