import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { sniffedBytes } from '../../git/binary-content.ts';
import type { Oid } from '../../git/object.ts';
import { openBlob } from '../../git/open-blob.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { entryKind } from '../../git/tree.ts';
import { findEntry, pathParts } from '../../git/tree-path.ts';
import { consumeGrant, isGrantUsed, type RawGrant, readGrant, releaseGrant } from './download-links.ts';
import { followLink } from './follow-link.ts';
import { openAtRef } from './open-at-ref.ts';
import { resolveCommit } from './resolve-commit.ts';

export interface RawFile {
  handle: string;
  etag: Oid;
  size: number;
  mediaType: string;
  isPrivate: boolean;
  /** Of a download by a token. */
  grant: RawGrant | undefined;
}

interface RawFileRequest {
  owner: string;
  name: string;
  ref: string;
  path: string;
  /** Single-use token of a private file. */
  token: string | undefined;
  /** Whether the whole content is asked for, which uses the token; a part of it and a HEAD request do not. */
  consumes: boolean;
}

/**
 * The file that a download URL identifies.
 * The token of a whole file is used from here on; `endDownload` makes it usable again unless the file was sent.
 * @throws 404 for everything else, used tokens included
 */
export async function resolveRawFile(context: Context, address: RawFileRequest): Promise<RawFile> {
  const { repository, oid, isPrivate, grant } =
    address.token === undefined ? await fileByPath(context, address) : await fileByToken(context, address);
  const blob = await openBlob(repository, oid);
  if (!blob) throw notFound();
  const mediaType = (await isText(blob.pieces({ start: 0, end: Math.min(sniffedBytes, blob.size) })))
    ? 'text/plain; charset=utf-8'
    : 'application/octet-stream';
  return { handle: `${repository.id}:${oid}`, etag: oid, size: blob.size, mediaType, isPrivate, grant };
}

/** How a download ended. */
interface DownloadEnd {
  /** Whether the last byte of the file was sent. */
  isComplete: boolean;
  /** Whether the request was for the whole file. */
  consumes: boolean;
}

/**
 * Uses up the token of a download by its end: once the last byte was sent, also as the last of several parts. A download that broke off
 * leaves the token usable, so that the client can start again or ask for the rest.
 */
export async function endDownload(
  context: Context,
  grant: RawGrant,
  { isComplete, consumes }: DownloadEnd,
): Promise<void> {
  if (isComplete && !consumes) await consumeGrant(context, grant);
  if (!isComplete && consumes) await releaseGrant(context, grant);
}

interface ResolvedFile {
  repository: Repository;
  oid: Oid;
  isPrivate: boolean;
  grant: RawGrant | undefined;
}

async function fileByToken(context: Context, { token = '', consumes }: RawFileRequest): Promise<ResolvedFile> {
  const grant = readGrant(context, token, 'raw');
  if (!grant) throw notFound();
  const isFree = consumes ? await consumeGrant(context, grant) : !(await isGrantUsed(context, grant));
  if (!isFree) throw notFound();
  return { repository: openRepository(context, grant.repository), oid: grant.sha, isPrivate: true, grant };
}

/** A file of a repository that the caller may read. */
async function fileByPath(context: Context, { owner, name, ref, path }: RawFileRequest): Promise<ResolvedFile> {
  const found = await openAtRef(context, { owner, name }, ref);
  if (!found) throw notFound();
  const { row, repository, resolved } = found;
  const parts = pathParts(path);
  const entry = await findEntry(repository, resolved.tree, parts);
  const kind = entry && entryKind(entry.mode);
  if (entry && kind === 'file') return { repository, oid: entry.oid, isPrivate: row.isPrivate, grant: undefined };
  if (!entry || kind !== 'symlink') throw notFound();
  // A link that does not resolve to a file is served as its own text.
  const end = (await followLink(repository, resolved.tree, parts, entry)).file?.entry ?? entry;
  return { repository, oid: end.oid, isPrivate: row.isPrivate, grant: undefined };
}

async function isText(pieces: AsyncIterable<Buffer>): Promise<boolean> {
  for await (const piece of pieces) if (piece.includes(0)) return false;
  return true;
}

export interface ArchiveFile {
  repository: Repository;
  commit: Oid;
  /** Name of the archive file without an extension, and of the directory inside it. */
  name: string;
  isPrivate: boolean;
}

/**
 * The commit that an archive URL identifies.
 * @throws 404; an empty repository has its own message
 */
export async function resolveArchive(
  context: Context,
  address: { owner: string; name: string; ref: string; token: string | undefined },
): Promise<ArchiveFile> {
  const { token } = address;
  const grant = token === undefined ? undefined : readGrant(context, token, 'archive');
  if (token !== undefined && !grant) throw notFound();
  if (grant) {
    const repository = openRepository(context, grant.repository);
    const { commit } = await resolveCommit(repository, grant.ref, '');
    return { repository, commit, name: archiveName(grant, commit), isPrivate: true };
  }
  const found = await openAtRef(context, address, address.ref);
  if (!found) throw notFound();
  const { row, repository, resolved } = found;
  const name = archiveName({ owner: row.ownerLogin, name: row.name }, resolved.commit);
  return { repository, commit: resolved.commit, name, isPrivate: row.isPrivate };
}

function archiveName({ owner, name }: { owner: string; name: string }, commit: Oid): string {
  return `${owner}-${name}-${commit.slice(0, 7)}`;
}
