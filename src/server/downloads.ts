import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { isFresh } from '../../rest-facade/engine/conditional.ts';
import { ClientGone, Failed, failureOf } from '../../rest-facade/engine/failure.ts';
import type { Exchange } from '../../rest-facade/engine/product.ts';
import { bytes } from '../../rest-facade/engine/responders.ts';
import type { Context } from '../context/context.ts';
import { tarGzOf } from '../git/archives/tar.ts';
import { zipOf } from '../git/archives/zip.ts';
import { archivedVersion, rawFile } from '../hosting/contents/downloads.queries.ts';
import { openRawContent } from '../hosting/contents/raw-content.ts';
import { ipKey } from '../limits/throttle-keys.ts';
import { openArchive, producedInTurns } from './archive-production.ts';
import type { ChargeDownload } from './download-charges.ts';

type ContextOf = (request: Request) => Promise<Context>;

/** Files as they are, at the addresses that `download_url` names: `/raw/{owner}/{repo}/{ref}/{path}`. */
export function rawDownloads(contextOf: ContextOf, charge: ChargeDownload): RequestHandler {
  return download(async (request, response, { segments, token, headOnly }) => {
    const [owner = '', name = '', ref = '', ...rest] = segments;
    const context = await contextOf(request);
    const charged = await charge(context, request, response, 'raw');
    const address = { owner, name, ref, path: rest.join('/'), token, takes: !headOnly };
    const { isPrivate, ...file } = await rawFile(context, address);
    response.set({
      ...open,
      // What somebody uploaded is shown as bytes and text, and runs nowhere.
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': isPrivate ? 'private, no-store' : 'public, max-age=300',
    });
    const read = openRawContent(context.read);
    const send = bytes((handle, _exchange, range) => read(handle, range));
    await send(file as never, { request, response, headOnly, status: 200, charge: charged } as unknown as Exchange);
  });
}

const formats = {
  'legacy.tar.gz': { ending: 'tar.gz', type: 'application/x-gzip', write: tarGzOf },
  'legacy.zip': { ending: 'zip', type: 'application/zip', write: zipOf },
};

/** Archives, where `tarball` and `zipball` lead: `/codeload/{owner}/{repo}/{format}/{ref}`. One entry is in memory at a time. */
export function archiveDownloads(contextOf: ContextOf, charge: ChargeDownload): RequestHandler {
  return download(async (request, response, { segments, token, headOnly }) => {
    const context = await contextOf(request);
    const charged = await charge(context, request, response, 'codeload');
    const [owner = '', name = '', format = '', ...ref] = segments;
    if (!Object.hasOwn(formats, format)) throw new Failed({ kind: 'not-found', reason: 'route' });
    const { ending, type, write } = formats[format as keyof typeof formats];
    const archive = await archivedVersion(context, { owner, name, ref: ref.join('/'), token });
    // Before anything is said about the answer, which may be that there are too many.
    const close = headOnly ? undefined : openArchive(readerOf(context));
    try {
      response.set({
        ...open,
        'Content-Disposition': `attachment; filename=${archive.name}.${ending}`,
        'Cache-Control': archive.isPrivate ? 'private, no-store' : 'public, max-age=60',
        // The same commit is the same bytes.
        ETag: `"${archive.commit}-${ending}"`,
      });
      if (isFresh(request.headers, response)) {
        response
          .set({ ...charged?.headers(304) })
          .status(304)
          .end();
        return;
      }
      response.setHeader('Content-Type', type);
      if (headOnly) {
        response.end();
        return;
      }
      const written = write(archive.repository, { commit: archive.commit, prefix: `${archive.name}/` });
      const pieces = producedInTurns(written, () => response.destroy());
      await pipeline(Readable.from(pieces, { objectMode: false }), response);
    } finally {
      close?.();
    }
  });
}

/** An account counts by itself, any other caller by address (of IPv6, the /64). */
function readerOf({ actor }: Context): string {
  return actor.kind === 'user' ? `account:${actor.accountId}` : `address:${ipKey(actor.ip)}`;
}

const open = { 'Access-Control-Allow-Origin': '*', Vary: 'Authorization' };

interface Asked {
  /** Behind the first part of the path, decoded. */
  segments: string[];
  token: string | undefined;
  headOnly: boolean;
}

function download(answer: (request: Request, response: Response, asked: Asked) => Promise<void>): RequestHandler {
  return (request, response, next) => {
    const headOnly = request.method === 'HEAD';
    if (request.method !== 'GET' && !headOnly) return next();
    const [path = '', query = ''] = request.url.split('?');
    const segments = decoded(path);
    if (!segments) return next();
    const token = new URLSearchParams(query).get('token') ?? undefined;
    answer(request, response, { segments, token, headOnly }).catch((error: unknown) => {
      // Whoever left needs no answer, and one that has begun cannot be taken back.
      if (error instanceof ClientGone || response.destroyed) response.destroy();
      else if (error instanceof Failed) next(error);
      else {
        const failure = failureOf(error);
        next(failure ? new Failed(failure) : error);
      }
    });
  };
}

function decoded(path: string): string[] | undefined {
  try {
    return path.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
