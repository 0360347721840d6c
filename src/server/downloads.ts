import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { bytes, ClientDisconnectedError, isFresh, ProblemError, type RestContext } from 'operation-rest';
import type { Context } from '../context/context.ts';
import { createTarGz } from '../git/archives/tar.ts';
import { createZip } from '../git/archives/zip.ts';
import { GitError } from '../git/git-error.ts';
import { openRepository } from '../git/repository.ts';
import { endDownload, resolveArchive, resolveRawFile } from '../hosting/contents/downloads.queries.ts';
import { openRawContent } from '../hosting/contents/raw-content.ts';
import { gitErrorProblem } from '../hosting/git-problems.ts';
import type { ArchiveCache } from './archive-cache.ts';
import { archiveBudget, awaitFirst, deliverChunks, openArchive, producePieces } from './archive-production.ts';
import { releaseOnClose } from './charge-request.ts';
import type { ChargeDownload } from './download-charges.ts';
import { problemErrorOf } from './error-responses.ts';

type ContextOf = (request: Request) => Promise<Context>;

/** Raw files at the URLs that `download_url` names: `/raw/{owner}/{repo}/{ref}/{path}`. */
export function rawDownloads(contextOf: ContextOf, charge: ChargeDownload): RequestHandler {
  return download(async (request, response, { segments, token, headOnly }) => {
    const [owner = '', name = '', ref = '', ...rest] = segments;
    const context = await downloadContext(contextOf, request, token);
    const charged = await charge(context, request, response, 'raw');
    const consumes = !headOnly && request.headers.range === undefined;
    const address = { owner, name, ref, path: rest.join('/'), token, consumes };
    const { isPrivate, grant, ...file } = await resolveRawFile(context, address);
    response.set({
      ...publicHeaders,
      // Uploaded content is shown as text and bytes and never executed.
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': isPrivate ? 'private, no-store' : 'public, max-age=300',
    });
    const read = openRawContent(context);
    const send = bytes((handle, _exchange, range) => read(handle, range));
    try {
      await send(
        file as never,
        { request, response, headOnly, status: 200, charge: charged } as unknown as RestContext,
      );
    } finally {
      if (grant)
        await endDownload(context, grant, { isComplete: !headOnly && sentLastByte(response, file.size), consumes });
    }
  });
}

/** Whether a response that has ended had the last byte of a file of this size. */
function sentLastByte(response: Response, size: number): boolean {
  if (!response.writableFinished) return false;
  if (response.statusCode === 200) return true;
  return response.statusCode === 206 && String(response.getHeader('Content-Range')).includes(`-${size - 1}/`);
}

const formats = {
  'legacy.tar.gz': { ending: 'tar.gz', type: 'application/x-gzip', write: createTarGz },
  'legacy.zip': { ending: 'zip', type: 'application/zip', write: createZip },
} as const;

/**
 * Archives at the URLs that `tarball` and `zipball` redirect to: `/codeload/{owner}/{repo}/{format}/{ref}`. Some megabytes of an
 * archive are in memory at a time. The cache is asked after access was checked.
 */
export function archiveDownloads(contextOf: ContextOf, charge: ChargeDownload, cache: ArchiveCache): RequestHandler {
  return download(async (request, response, { segments, token, headOnly }) => {
    const context = await downloadContext(contextOf, request, token);
    const charged = await charge(context, request, response, 'codeload');
    const [owner = '', name = '', format = '', ...ref] = segments;
    if (!Object.hasOwn(formats, format)) throw new ProblemError({ kind: 'not-found', reason: 'route' });
    const { ending, type, write } = formats[format as keyof typeof formats];
    const archive = await resolveArchive(context, { owner, name, ref: ref.join('/'), token });
    // Before any header is set, because the response may be 503.
    const close = headOnly ? undefined : openArchive(context.actor);
    let delivery: AsyncGenerator<Buffer> | undefined;
    try {
      const headers = new Map([
        ...Object.entries(publicHeaders),
        ['Content-Disposition', `attachment; filename=${archive.name}.${ending}`],
        ['Cache-Control', archive.isPrivate ? 'private, no-store' : 'public, max-age=60'],
        // The same commit below a folder of the same name gives the same bytes; the name is that of the repository.
        ['ETag', `"${archive.name}-${archive.commit}-${ending}"`],
      ]);
      const status = isFresh(request.headers, { getHeader: field => headers.get(field) }) ? 304 : 200;
      let chunks: AsyncGenerator<Buffer> | undefined;
      if (status === 200 && !headOnly) {
        const left = new AbortController();
        releaseOnClose(response, () => left.abort());
        const { commit, repository } = archive;
        const { id, read } = repository;
        const workBudget = archiveBudget(context.config, left.signal);
        const source = openRepository({ read, workBudget, isolation: context.isolation }, id);
        const prefix = `${archive.name}/`;
        const pieces = cache.read({ repositoryId: id, commit, format: ending, prefix }, () =>
          producePieces(write(source, { commit, prefix })),
        );
        // The response has no headers of the archive yet: what is refused before its first byte is an error response.
        delivery = deliverChunks(pieces, () => response.destroy());
        chunks = await awaitFirst(delivery);
      }
      response.setHeaders(headers);
      if (status === 304) {
        response
          .set({ ...charged?.headers(304) })
          .status(304)
          .end();
        return;
      }
      response.setHeader('Content-Type', type);
      if (chunks) await pipeline(Readable.from(chunks, { objectMode: false }), response);
      else response.end();
    } finally {
      await delivery?.return(undefined);
      close?.();
    }
  });
}

/** A token that was made a moment ago may not be on a replica yet. */
async function downloadContext(contextOf: ContextOf, request: Request, token: string | undefined): Promise<Context> {
  const context = await contextOf(request);
  if (token === undefined) context.isMutation = false;
  return context;
}

const publicHeaders = { 'Access-Control-Allow-Origin': '*', Vary: 'Authorization' };

interface DownloadRequest {
  /** Path segments after the first one, decoded. */
  segments: string[];
  token: string | undefined;
  headOnly: boolean;
}

function download(
  answer: (request: Request, response: Response, download: DownloadRequest) => Promise<void>,
): RequestHandler {
  return (request, response, next) => {
    const headOnly = request.method === 'HEAD';
    const [path = '', query = ''] = request.url.split('?');
    const segments = decodeSegments(path);
    if (!segments) return next();
    const token = new URLSearchParams(query).get('token') ?? undefined;
    answer(request, response, { segments, token, headOnly }).catch((error: unknown) => {
      // A disconnected client needs no response, and a started response cannot be replaced.
      if (error instanceof ClientDisconnectedError || response.destroyed) response.destroy();
      else next(problemErrorOf(error instanceof GitError ? gitErrorProblem(error) : error));
    });
  };
}

function decodeSegments(path: string): string[] | undefined {
  try {
    return path.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
