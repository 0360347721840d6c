import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ByteRange, isFresh, parseByteRange, quoteEtag } from './conditional-requests.ts';
import { ClientDisconnectedError } from './problem.ts';
import type { Responder, RestContext } from './product.ts';

/** What an operation selects of a redirect. */
export interface RedirectReference {
  /** Absolute, or a path of this server. */
  url: string;
  permanent?: boolean | null;
  /** 3xx; wins over `permanent`. */
  status?: number | null;
}

/**
 * Sends the client on. The status is the value's own, else the `@status` of the outcome where that is 3xx, else the one
 * that keeps the method: 301 or 302 for reads, 308 or 307 for the others. `body` makes the JSON some contracts send along.
 */
export function redirect(
  options: { type: string; body(url: string, status: number): unknown } | undefined = undefined,
): Responder {
  return (value: RedirectReference, restContext: RestContext) => {
    const { response, headOnly } = restContext;
    const status = redirectStatus(value, restContext);
    const url = absoluteUrl(value.url, restContext.origin);
    const text = options && JSON.stringify(options.body(url, status));
    response.statusCode = status;
    response.setHeader('Location', url);
    if (options) response.setHeader('Content-Type', options.type);
    response.setHeader('Content-Length', Buffer.byteLength(text ?? ''));
    response.end(headOnly ? undefined : text);
  };
}

function redirectStatus({ permanent, status }: RedirectReference, restContext: RestContext): number {
  for (const said of [status, restContext.status])
    if (typeof said === 'number' && said >= 300 && said < 400) return said;
  const reads = restContext.request.method === 'GET' || restContext.headOnly;
  if (permanent === true) return reads ? 301 : 308;
  return reads ? 302 : 307;
}

/** Percent-encoded and without line breaks, as URL makes it. Throws for what is no address of the web: a defect. */
function absoluteUrl(url: string, origin: string): string {
  const { href, protocol } = new URL(url, origin);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`A redirect to ${protocol} is not sent.`);
  return href;
}

/** What an operation selects of bytes: where they are and what they are, never the bytes. */
export interface BytesReference {
  /** Means something to `open` alone. */
  handle: string;
  mediaType: string;
  /** In bytes. */
  size: number;
  /** With or without quotes. */
  etag?: string | null;
  /** Makes the answer a download of this name. */
  filename?: string | null;
}

/**
 * Opens the bytes of a handle for reading: all of them, or those of `range`, first and last included. It gives exactly as
 * many as the reference or the range says, or fails.
 */
export type OpenBytes = (handle: string, restContext: RestContext, range?: ByteRange) => Readable | Promise<Readable>;

/** The Content-Type of a value, where the form that was asked for decides it. */
type ContentTypeOf = (value: { mediaType?: string }, restContext: RestContext) => string;

/** What an operation selects of a text that is not sent as JSON. */
export interface TextReference {
  text: string;
  mediaType?: string;
}

/** Sends a text as it is, under the Content-Type that `typeOf` gives or else the value names. */
export function text(typeOf?: ContentTypeOf): Responder {
  return (value: TextReference, restContext: RestContext) => {
    const { response, headOnly, status } = restContext;
    if (sendNotModified(restContext)) return;
    response.statusCode = status;
    response.setHeader('Content-Type', typeOf?.(value, restContext) ?? value.mediaType ?? 'text/plain; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(value.text));
    response.end(headOnly ? undefined : value.text);
  };
}

/** 304 to a read whose caller has it all: ETag and Last-Modified must be set. */
function sendNotModified({ request, response, status, headOnly, charge }: RestContext): boolean {
  const reads = request.method === 'GET' || headOnly;
  if (!reads || status !== 200 || !isFresh(request.headers, response)) return false;
  response.statusCode = 304;
  for (const [name, value] of Object.entries(charge?.headers(304) ?? {})) response.setHeader(name, value);
  response.end();
  return true;
}

/**
 * Streams bytes, or the range of them that is asked for, no faster than the client takes them. Nothing is sent before the first chunk is there, so that a source
 * that fails at once is answered as a failure; one that fails later, or gives another number of bytes than was announced,
 * costs the connection, since a complete answer is all that may look like one. A client that leaves closes the source.
 */
export function bytes(open: OpenBytes, typeOf?: ContentTypeOf): Responder {
  return async (value: BytesReference, restContext: RestContext) => {
    const { request, response, headOnly, status } = restContext;
    if (value.etag) response.setHeader('ETag', quoteEtag(value.etag));
    if (sendNotModified(restContext)) return;
    response.setHeader('Accept-Ranges', 'bytes');
    const mediaType = typeOf?.(value, restContext) ?? value.mediaType;
    // A range of HEAD is not defined (RFC 9110, 14.2), and parts are parts of an answer that would be 200.
    const reads = request.method === 'GET' && status === 200;
    const etag = response.getHeader('ETag');
    const range = reads
      ? parseByteRange(request.headers, value.size, typeof etag === 'string' ? etag : undefined)
      : undefined;
    const size = range ? range.end - range.start + 1 : value.size;
    const announceAll = (): void =>
      setByteHeaders({ ...value, mediaType, size }, restContext, range && { ...range, of: value.size });
    if (headOnly) {
      announceAll();
      response.end();
      return;
    }
    const source = await open(value.handle, restContext, range);
    const close = (): void => {
      source.destroy();
    };
    response.once('close', close);
    if (response.destroyed) close();
    const reader = source[Symbol.asyncIterator]();
    let failure: unknown;
    const whole = async function* (): AsyncGenerator<Buffer> {
      let left = size;
      try {
        for (let next = first; !next.done; next = await reader.next()) {
          left -= next.value.length;
          if (left < 0) break;
          yield next.value;
        }
        if (left !== 0) throw new RangeError(`${value.handle} is not of the ${size} bytes that were announced.`);
      } catch (error) {
        if (!response.destroyed) failure = error;
        throw error;
      }
    };
    const first: IteratorResult<Buffer> = await reader.next().catch((error: unknown) => {
      throw response.destroyed ? new ClientDisconnectedError() : error;
    });
    announceAll();
    try {
      await pipeline(whole, response);
    } catch {
      throw failure ?? new ClientDisconnectedError();
    } finally {
      close();
    }
  };
}

function setByteHeaders(
  { mediaType, size, filename }: BytesReference,
  { response, status }: RestContext,
  range: (ByteRange & { of: number }) | undefined,
): void {
  response.statusCode = range ? 206 : status;
  if (range) response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${range.of}`);
  response.setHeader('Content-Type', mediaType);
  response.setHeader('Content-Length', size);
  if (filename) response.setHeader('Content-Disposition', contentDisposition(filename));
}

/** RFC 6266: a plain name for old clients, and the exact one. */
function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (plain === filename) return `attachment; filename="${plain}"`;
  const exact = encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, percentEncode);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
