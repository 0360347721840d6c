import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ByteRange, parseByteRange } from './byte-range.ts';
import { computeBodyTag, isFresh, quoteEtag } from './conditional-requests.ts';
import { ClientDisconnectedError } from './problem.ts';
import type { Responder, RestContext } from './product.ts';

/** The fields that an operation selects of a redirect. */
export interface RedirectReference {
  /** Absolute, or a path on this server. */
  url: string;
  permanent?: boolean | null;
  /** 3xx; wins over `permanent`. */
  status?: number | null;
}

/**
 * Sends a redirect. The status is the value's own, else the `@status` of the outcome if that is 3xx, else one that keeps the
 * method: 301 or 302 for reads, 308 or 307 for writes. `body` makes the JSON that some contracts send; `type` is sent without one too.
 * `keepsQuery`: the URL has the query of the request.
 */
export function redirect(
  options: { type: string; body?(url: string, status: number): unknown; keepsQuery?: boolean } | undefined = undefined,
): Responder {
  return (value: RedirectReference, restContext: RestContext) => {
    const { response, headOnly, target } = restContext;
    const status = redirectStatus(value, restContext);
    const url = absoluteUrl(options?.keepsQuery ? `${value.url}${target.search}` : value.url, restContext.origin);
    const text = options?.body && JSON.stringify(options.body(url, status));
    response.statusCode = status;
    response.setHeader('Location', url);
    if (options) response.setHeader('Content-Type', options.type);
    response.setHeader('Content-Length', Buffer.byteLength(text ?? ''));
    response.end(headOnly ? undefined : text);
  };
}

function redirectStatus({ permanent, status }: RedirectReference, restContext: RestContext): number {
  for (const candidate of [status, restContext.status])
    if (typeof candidate === 'number' && candidate >= 300 && candidate < 400) return candidate;
  const reads = restContext.request.method === 'GET' || restContext.headOnly;
  if (permanent === true) return reads ? 301 : 308;
  return reads ? 302 : 307;
}

/** Percent-encoded by `URL`. @throws TypeError unless it is an HTTP URL, which is a defect */
function absoluteUrl(url: string, origin: string): string {
  const { href, protocol } = new URL(url, origin);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`A redirect to ${protocol} is not allowed.`);
  return href;
}

/** The fields that an operation selects of bytes: where and what they are, never the bytes. */
export interface BytesReference {
  /** Opaque to the engine; an argument of `open`. */
  handle: string;
  mediaType: string;
  /** In bytes. */
  size: number;
  /** With or without quotes. */
  etag?: string | null;
  /** Makes the response a download with this name. */
  filename?: string | null;
}

/**
 * Opens the bytes of a handle for reading: all of them, or those of `range`. The stream must have exactly the length of the
 * reference or the range, or fail.
 */
export type OpenBytes = (handle: string, restContext: RestContext, range?: ByteRange) => Readable | Promise<Readable>;

/** The Content-Type of a value, if it depends on the negotiated media type. */
type ContentTypeOf = (value: { mediaType?: string }, restContext: RestContext) => string;

/** The fields that an operation selects of a text that is not sent as JSON. */
export interface TextReference {
  text: string;
  mediaType?: string;
}

/** A text that can be an ETag itself: clients compare an id with the one that they have. */
const shortTag = /^[\w.:-]{1,64}$/;

/**
 * Sends a text as it is, with the Content-Type of `typeOf`, else of the value. `isTagged`: with an ETag, which is the text, or the hash
 * of a longer one.
 */
export function text(typeOf?: ContentTypeOf, { isTagged = false } = {}): Responder {
  return async (value: TextReference, restContext: RestContext) => {
    const { request, response, headOnly, status } = restContext;
    const isRead = request.method === 'GET' || headOnly;
    if (isTagged && isRead && status === 200 && response.getHeader('ETag') === undefined) {
      const isTag = shortTag.test(value.text);
      response.setHeader('ETag', isTag ? quoteEtag(value.text) : (await computeBodyTag(value.text, undefined)).etag);
    }
    if (sendNotModified(restContext)) return;
    response.statusCode = status;
    response.setHeader('Content-Type', typeOf?.(value, restContext) ?? value.mediaType ?? 'text/plain; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(value.text));
    response.end(headOnly ? undefined : value.text);
  };
}

/** Sends 304 if the client's copy is current; ETag and Last-Modified must be set before. */
function sendNotModified({ request, response, status, headOnly, charge }: RestContext): boolean {
  const reads = request.method === 'GET' || headOnly;
  if (!reads || status !== 200 || !isFresh(request.headers, response)) return false;
  response.statusCode = 304;
  for (const [name, value] of Object.entries(charge?.headers(304) ?? {})) response.setHeader(name, value);
  response.end();
  return true;
}

/**
 * Streams bytes, or the requested range of them, with backpressure. Nothing is sent before the first chunk arrives, so that a
 * source that fails at once is answered as an error. A source that fails later, or has another length than announced, closes the
 * connection: an incomplete response must not look complete. A client that disconnects closes the source.
 */
export function bytes(open: OpenBytes, typeOf?: ContentTypeOf): Responder {
  return async (value: BytesReference, restContext: RestContext) => {
    const { request, response, headOnly, status } = restContext;
    if (value.etag) response.setHeader('ETag', quoteEtag(value.etag));
    if (sendNotModified(restContext)) return;
    response.setHeader('Accept-Ranges', 'bytes');
    const mediaType = typeOf?.(value, restContext) ?? value.mediaType;
    // RFC 9110, 14.2: Range applies to GET only, and to a response that would be 200.
    const reads = request.method === 'GET' && status === 200;
    const etag = response.getHeader('ETag');
    const range = reads
      ? parseByteRange(request.headers, value.size, typeof etag === 'string' ? etag : undefined)
      : undefined;
    const size = range ? range.end - range.start + 1 : value.size;
    const setAllHeaders = (): void =>
      setByteHeaders({ ...value, mediaType, size }, restContext, range && { ...range, of: value.size });
    if (headOnly) {
      setAllHeaders();
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
    let sourceError: unknown;
    const whole = async function* (): AsyncGenerator<Buffer> {
      let left = size;
      try {
        for (let next = first; !next.done; next = await reader.next()) {
          left -= next.value.length;
          if (left < 0) break;
          yield next.value;
        }
        if (left !== 0) throw new RangeError(`${value.handle} does not have the announced ${size} bytes.`);
      } catch (error) {
        if (!response.destroyed) sourceError = error;
        throw error;
      }
    };
    const first: IteratorResult<Buffer> = await reader.next().catch((error: unknown) => {
      throw response.destroyed ? new ClientDisconnectedError() : error;
    });
    setAllHeaders();
    try {
      await pipeline(whole, response);
    } catch {
      throw sourceError ?? new ClientDisconnectedError();
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

/** RFC 6266: an ASCII name for old clients, and the exact one. */
function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  if (plain === filename) return `attachment; filename="${plain}"`;
  const exact = encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, percentEncode);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
