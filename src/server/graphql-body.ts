import express, { type Request, type RequestHandler } from 'express';
import { findJsonExcess, type JsonExcess } from '../../rest-facade/engine/json-complexity.ts';

/** Maximum body size in bytes: several times 2,000 tokens with their variables. */
export const maxBodyBytes = 256 * 1024;

/** A body that cannot be read; the message is published. */
class UnreadableBodyError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const excessMessages: Record<JsonExcess['is'], (max: number) => string> = {
  depth: max => `The body is nested more than ${max} levels deep.`,
  members: max => `The body has more than ${max} members and items.`,
};

const malformed = (): Error => new UnreadableBodyError(400, 'The request cannot be read: it is not valid JSON.');

/**
 * Reads the JSON body of a POST into `request.body`. A body in plain UTF-8 with a length, which nearly every client sends, is read
 * here; body-parser, which takes 60 µs, reads the others.
 */
export function graphqlBody(): RequestHandler {
  const parser = express.json({ limit: maxBodyBytes, verify: assertSimpleJson });
  return (request, response, next) => {
    if (request.method === 'GET') return next();
    const length = plainLength(request);
    if (length === undefined) return parser(request, response, next);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    // A client that has left gets no response, and the slot is released on close.
    request.on('error', () => {});
    request.once('end', () => {
      try {
        request.body = parseBody(chunks);
      } catch (error) {
        next(error);
        return;
      }
      next();
    });
  };
}

/** The message for an error of `graphqlBody` with a status below 500. */
export function unreadableBodyMessage(error: { status?: unknown }): string {
  if (error instanceof UnreadableBodyError) return error.message;
  if (error.status === 413) return `The request is larger than ${maxBodyBytes} bytes.`;
  if (error.status === 415) {
    return 'The encoding of the request is not supported: send UTF-8, plain or compressed by gzip, br or deflate.';
  }
  return malformed().message;
}

/** Length of a body that is neither encoded nor too large. */
function plainLength({ headers }: Request): number | undefined {
  if (headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined) return undefined;
  if (!/^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i.test(headers['content-type'] ?? '')) return undefined;
  const length = Number(headers['content-length']);
  return length <= maxBodyBytes ? length : undefined;
}

function parseBody(chunks: Buffer[]): unknown {
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  if (bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  assertSimple(text);
  let body: unknown;
  try {
    body = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    throw malformed();
  }
  if (typeof body !== 'object' || body === null) throw malformed();
  return body;
}

/**
 * Runs before the body is parsed. body-parser decodes any charset that iconv-lite calls `utf-`: in UTF-7 and UTF-16 brackets
 * and quotes are other bytes and would not be counted.
 * @throws UnreadableBodyError, which body-parser passes on
 */
function assertSimpleJson(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  // body-parser gives an error of `verify` the status 403 unless it has one.
  if (charset !== 'utf-8') throw Object.assign(new Error('JSON is UTF-8.'), { status: 415 });
  assertSimple(body.toString('latin1'));
}

function assertSimple(json: string): void {
  const excess = findJsonExcess(json);
  if (excess) throw new UnreadableBodyError(400, excessMessages[excess.is](excess.max));
}
