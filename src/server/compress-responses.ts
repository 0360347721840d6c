import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import { hasSession } from './oauth/session-kinds.ts';

/** Bytes that one packet carries: a smaller response does not arrive earlier if it is compressed. */
const minBytes = 1_400;

const encodings = ['br', 'gzip', 'deflate', 'identity'] as const;

/**
 * Compresses the responses of every entry point, as Accept-Encoding says: brotli or gzip, in the thread pool of zlib. Levels that cost
 * a third of the default ones, for 5 % more bytes. Not compressed: what is already (archives, pictures), packs of git, events, which
 * must not wait for each other, and parts of a resource.
 *
 * BREACH reads a secret of a response by the length of its compressed form: an attacker makes the browser of a victim send requests
 * that carry the victim's credentials, and in which a text of the attacker is reflected. Pages alone take a credential that a browser
 * sends by itself, its session: their responses to a browser with a session are not compressed.
 *
 * The entity tag of a compressed response is weak, because its bytes are others than those of the plain one (RFC 9110, 8.8.1).
 * `isFresh` compares tags weakly, and `parseByteRange` strongly.
 */
export function compressResponses(): RequestHandler {
  return compression({
    threshold: minBytes,
    level: 4,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } },
    // Called when the headers are sent. The response varies by Accept-Encoding if it returns true.
    filter(request, response) {
      if (!mayBeCompressed(request, response)) return false;
      const isCompressed = isEncodable(request, response);
      if (isCompressed) describeCompressed(request, response);
      // The published headers of the code hosting API name it already, in one of two lines that would become one.
      return isCompressed || !/\baccept-encoding\b/i.test(String(response.getHeader('Vary') ?? ''));
    },
  });
}

/** Whether the response, to another client, can be compressed. */
function mayBeCompressed(request: IncomingMessage, response: Response): boolean {
  const { statusCode } = response;
  // A large request that is not read to its end is answered at once, and its connection closes: see `endResponse`.
  if (hasUnreadBody(request) || statusCode === 204 || statusCode === 206) return false;
  if (statusCode === 304) return true;
  const type = String(response.getHeader('Content-Type') ?? '');
  if (/^text\/(?:html|csv)\b/i.test(type) && hasSession(request)) return false;
  if (/^text\/event-stream\b/i.test(type) || response.hasHeader('Content-Range')) return false;
  return compression.filter(request as Request, response);
}

/** A request without a body is not complete either while its headers are handled. */
function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined);
}

/** Whether it is compressed, or would be if it had a body. */
function isEncodable(request: Request, response: Response): boolean {
  const length = response.getHeader('Content-Length');
  if (length !== undefined && Number(length) < minBytes) return false;
  if (response.hasHeader('Content-Encoding')) return false;
  const encoding = request.acceptsEncodings([...encodings]);
  return encoding !== false && encoding !== 'identity';
}

function describeCompressed({ method }: IncomingMessage, response: ServerResponse): void {
  const etag = response.getHeader('ETag');
  if (typeof etag === 'string' && etag.startsWith('"')) response.setHeader('ETag', `W/${etag}`);
  response.removeHeader('Accept-Ranges');
  // The compressed length is not known, and HEAD has the headers of GET.
  if (method === 'HEAD') response.removeHeader('Content-Length');
}
