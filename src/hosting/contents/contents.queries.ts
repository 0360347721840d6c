import type { ContentFormName } from '../../../schema/hosting/content.ts';
import type { Context } from '../../context/context.ts';
import type { Oid } from '../../git/object.ts';
import { openBlob } from '../../git/open-blob.ts';
import { findObject, statObjects } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { entryKind, type TreeEntry } from '../../git/tree.ts';
import { findEntry, pathParts } from '../../git/tree-path.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import { gitProblems } from '../git-problems.ts';
import type { OwnedRow, RepositoryAddress } from '../repositories/repositories.queries.ts';
import { readBlobBase64 } from './base64-blob.ts';
import { type ContentLocation, locationOf } from './content-location.ts';
import { contentUrls } from './content-urls.ts';
import { followLink } from './follow-link.ts';
import { lastModified } from './last-modified.ts';
import { openAtRef, openLoadedAtRef } from './open-at-ref.ts';
import { readSmallBlob } from './read-small-blob.ts';
import { renderHtml } from './render-html.ts';
import type { ResolvedCommit } from './resolve-commit.ts';
import { readSubmodules } from './submodules.ts';

/** Maximum size of a file that is served in every form; larger ones are served raw or without their content. */
const maxInlineBytes = 1024 * 1024;
/** Maximum entries of a directory; the published API truncates without a notice. */
const maxEntries = 1_000;
/** How often an entry of a directory names its path: as such, and in its URLs. */
const pathsPerEntry = 6;
/** Characters of a path that are encoded for its URLs in the time of a step, 1 µs. */
const charsPerStep = 8;

export interface ContentRequest {
  path: string;
  /** Empty for the default branch. */
  ref: string;
  form: ContentFormName;
  /** Version of the REST API; it affects only how submodules appear in directories. */
  version: string;
}

/** Everything that reading a path depends on. */
export interface ReadContext {
  context: Context;
  repository: Repository;
  location: ContentLocation;
  resolved: ResolvedCommit;
  request: Pick<ContentRequest, 'form' | 'version'>;
}

/** The address of a repository, or the repository as loaded. */
export type ContentSource = RepositoryAddress | OwnedRow;

/** Opens a repository at a ref to read its contents. Null when the caller may not read it. */
export async function openReadContext(
  context: Context,
  source: ContentSource,
  request: Omit<ContentRequest, 'path'>,
): Promise<ReadContext | null> {
  const found = await ('databaseId' in source
    ? openLoadedAtRef(context, source, request.ref)
    : openAtRef(context, source, request.ref));
  if (!found) return null;
  const { row, repository, resolved } = found;
  return { context, repository, location: locationOf(row, request.ref), resolved, request };
}

/** The content at a path, as one of the types of RepositoryContent; null when there is none. */
export async function findContent(context: Context, source: ContentSource, request: ContentRequest) {
  const reading = await openReadContext(context, source, request);
  if (!reading) return null;
  const parts = pathParts(request.path);
  if (parts.length === 0) return directory(reading, reading.resolved.tree, parts);
  const entry = await findEntry(reading.repository, reading.resolved.tree, parts);
  return entry ? loadContent(reading, entry, parts) : null;
}

/** `parts`: the path as latin1 characters of its UTF-8 bytes. */
export async function loadContent(reading: ReadContext, entry: TreeEntry, parts: readonly string[]) {
  switch (entryKind(entry.mode)) {
    case 'directory':
      return directory(reading, entry.oid, parts);
    case 'submodule':
      return submodule(reading, entry, parts);
    case 'symlink':
      return symlink(reading, entry, parts);
    case 'file':
      return file(reading, entry.oid, parts, await lastModifiedAt(reading, parts));
  }
}

function lastModifiedAt({ repository, resolved }: ReadContext, parts: readonly string[]): Promise<string | null> {
  return lastModified(repository, resolved.commit, parts);
}

/** Decodes a path; bytes that are not UTF-8 become U+FFFD. */
function decodePath(parts: readonly string[]): string {
  return Buffer.from(parts.join('/'), 'latin1').toString();
}

function nameAndPath(parts: readonly string[]): { name: string; path: string } {
  return { name: decodePath(parts.slice(-1)), path: decodePath(parts) };
}

/**
 * `source`: the blob that is served; for a symbolic link that of its target, whose id, size and URLs the answer has below the name of
 * the link: with the id of the link, a client would write over the link what it takes for the file.
 */
async function file(
  { context, repository, location, request }: ReadContext,
  source: Oid,
  parts: readonly string[],
  modified: string | null,
) {
  const blob = await openBlob(repository, source);
  // A tree may refer to an object that was never pushed.
  if (!blob) return null;
  const { size } = blob;
  if (size > maxBlobBytes) throw gitProblems.blobTooLargeToShow(100);
  if (request.form === 'RAW') {
    const handle = `${repository.id}:${source}`;
    const mediaType = 'application/octet-stream';
    return { __typename: 'RawContent', handle, mediaType, size, versionTag: source, lastModified: modified } as const;
  }
  const item = nameAndPath(parts);
  if (request.form === 'HTML') {
    const bytes = size > maxInlineBytes ? undefined : await readSmallBlob(repository, source, maxInlineBytes);
    if (!bytes) throw gitProblems.blobTooLargeToShow(1);
    const page = await renderHtml({ name: item.name, oid: source, bytes });
    context.largeValues.take(page.text.length);
    return { __typename: 'RenderedContent', ...page, lastModified: modified } as const;
  }
  const shown = size <= maxInlineBytes;
  if (shown) context.largeValues.take(size);
  return {
    __typename: 'FileContent',
    type: 'file',
    encoding: shown ? 'base64' : 'none',
    size,
    ...item,
    content: shown ? await readBlobBase64(repository, source, maxInlineBytes) : '',
    sha: source,
    ...contentUrls(context, location, { kind: 'file', path: item.path, sha: source }),
    versionTag: source,
    lastModified: modified,
  } as const;
}

async function symlink(reading: ReadContext, entry: TreeEntry, parts: readonly string[]) {
  const { context, repository, resolved, location } = reading;
  const { target, file: end } = await followLink(repository, resolved.tree, parts, entry);
  const modified = await lastModifiedAt(reading, parts);
  if (end) {
    // The newer of the two: the link or its target may have changed last.
    const other = await lastModifiedAt(reading, end.parts);
    const latest = modified === null || other === null ? null : ([modified, other].toSorted()[1] ?? null);
    return file(reading, end.entry.oid, parts, latest);
  }
  const item = nameAndPath(parts);
  return {
    __typename: 'SymlinkContent',
    type: 'symlink',
    target,
    size: Buffer.byteLength(target),
    ...item,
    sha: entry.oid,
    ...contentUrls(context, location, { kind: 'symlink', path: item.path, sha: entry.oid }),
    versionTag: entry.oid,
    lastModified: modified,
  } as const;
}

async function submodule(reading: ReadContext, entry: TreeEntry, parts: readonly string[]) {
  const { context, repository, resolved, location } = reading;
  const item = nameAndPath(parts);
  const source = (await readSubmodules(repository, resolved.tree)).get(item.path) ?? null;
  return {
    __typename: 'SubmoduleContent',
    type: 'submodule',
    submoduleGitUrl: source,
    size: 0,
    ...item,
    sha: entry.oid,
    ...contentUrls(context, location, { kind: 'submodule', path: item.path, sha: entry.oid, source }),
    versionTag: entry.oid,
    lastModified: await lastModifiedAt(reading, parts),
  } as const;
}

/**
 * Only the form `object` describes the directory itself; the others list its entries, except `raw`, which a directory lacks.
 * @throws 415 for `raw`
 */
async function directory(reading: ReadContext, tree: Oid, parts: readonly string[]) {
  const { context, repository, location, request } = reading;
  if (request.form === 'RAW') throw gitProblems.directoryWithoutBytes();
  const found = await findObject(repository, tree);
  if (found?.type !== 'tree') return null;
  const entries = await listEntries(reading, found.tree.entries.slice(0, maxEntries), parts);
  const item = nameAndPath(parts);
  const urls = contentUrls(context, location, { kind: 'directory', path: item.path, sha: tree });
  const omitted = found.tree.entries.length - entries.length;
  const facts = {
    entries,
    versionTag: tree,
    lastModified: await lastModifiedAt(reading, parts),
    omittedEntryCount: omitted > 0 ? omitted : null,
    treeLink: omitted > 0 ? `<${urls.gitUrl}>; rel="alternate"` : null,
  };
  if (request.form !== 'OBJECT') return { __typename: 'DirectoryListing', ...facts } as const;
  return {
    __typename: 'DirectoryContent',
    type: 'dir',
    size: 0,
    ...item,
    sha: tree,
    ...urls,
    ...facts,
  } as const;
}

const typeNames = { file: 'file', directory: 'dir', symlink: 'symlink', submodule: 'submodule' } as const;

async function listEntries(reading: ReadContext, entries: readonly TreeEntry[], folder: readonly string[]) {
  const { context, repository, resolved, location, request } = reading;
  const isBlob = ({ mode }: TreeEntry): boolean => ['file', 'symlink'].includes(entryKind(mode));
  const sizes = await statObjects(
    repository,
    entries.filter(isBlob).map(({ oid }) => oid),
  );
  const modules = entries.some(({ mode }) => entryKind(mode) === 'submodule')
    ? await readSubmodules(repository, resolved.tree)
    : undefined;
  const { workBudget } = repository;
  const folderChars = folder.reduce((sum, part) => sum + part.length + 1, 0);
  context.largeValues.take(entries.reduce((sum, { name }) => sum + pathsPerEntry * (folderChars + name.length), 0));
  const items = [];
  for (const entry of entries) {
    workBudget.spendSteps(1 + Math.ceil((folderChars + entry.name.length) / charsPerStep));
    if (workBudget.isTurnDue) await workBudget.turn();
    const kind = entryKind(entry.mode);
    const item = nameAndPath([...folder, entry.name.toString('latin1')]);
    const source = kind === 'submodule' ? (modules?.get(item.path) ?? null) : null;
    // The older API version reports submodules as files, but only in directories.
    const isOld = kind === 'submodule' && request.version < '2026-03-10';
    items.push({
      type: isOld ? 'file' : typeNames[kind],
      size: sizes.get(entry.oid)?.size ?? 0,
      ...item,
      sha: entry.oid,
      ...contentUrls(context, location, { kind, path: item.path, sha: entry.oid, source }),
      submoduleGitUrl: source,
    });
  }
  return items;
}
