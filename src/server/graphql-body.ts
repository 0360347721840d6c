import express, { type Request, type RequestHandler, type Response } from 'express';
import { GraphQLError } from 'graphql';
import { ClientDisconnectedError, type JsonRefusal, JsonRefusedError, ProblemError, parseJson } from 'operation-rest';
import type { LargeGraphqlBodies } from './large-graphql-body.ts';
import { requestStateOf } from './request-state.ts';

/** Maximum body size in bytes: several times 2,000 tokens with their variables. Some input fields take more (`@LargeInput`). */
export const maxBodyBytes = 256 * 1024;

/** Members and items of a larger body: 50,000 entries of a tree with their three properties. They are parsed in several turns. */
const maxLargeMembers = 250_000;

/** A body that cannot be read; the message is published. */
class UnreadableBodyError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const malformed = (): Error => new UnreadableBodyError(400, 'The request cannot be read: it is not valid JSON.');

/**
 * Reads the JSON body of a POST into `request.body`. A body in plain UTF-8 with a length, which nearly every client sends, is read
 * here; body-parser, which takes 60 µs, reads the others.
 */
export function graphqlBody(large: LargeGraphqlBodies): RequestHandler {
  const raw = express.raw({ limit: maxBodyBytes, type: () => true });
  const parser: RequestHandler = (request, response, next) =>
    raw(request, response, (error?: unknown) => {
      if (error !== undefined) next(error);
      else readText(request).then(() => next(), next);
    });
  return (request, response, next) => {
    if (request.method === 'GET') return next();
    const length = plainLength(request);
    if (length === undefined || length > maxBodyBytes) {
      readLarge(request, response, large, length).then(
        isRead => (isRead ? next() : parser(request, response, next)),
        (error: unknown) => {
          if (!(error instanceof ClientDisconnectedError)) next(error);
        },
      );
      return;
    }
    receiveSmall(request)
      .then(async bytes => {
        request.body = await parseBody(bytes);
      })
      .then(() => next(), next);
  };
}

/** The bytes of a body of known length. Listeners of the request run in the context of its connection, and what follows a promise in its own. */
function receiveSmall(request: Request): Promise<Buffer> {
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    // A client that has left gets no response, and the slot is released on close.
    request.on('error', () => {});
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  });
}

/**
 * Reads a body that may be larger than `maxBodyBytes`, if the caller may send one. Returns whether it did.
 * @param length in bytes, if it is known
 */
async function readLarge(
  request: Request,
  response: Response,
  large: LargeGraphqlBodies,
  length: number | undefined,
): Promise<boolean> {
  const state = requestStateOf(request);
  const context = state.graphql && 'context' in state.graphql ? state.graphql.context : undefined;
  const isPlain = length !== undefined || isPlainUtf8(request);
  const maxBytes = isPlain ? await large.maxBytesFor(context) : 0;
  if (context === undefined || maxBytes === 0) return false;
  try {
    if (length !== undefined && length > maxBytes) throw new ProblemError({ kind: 'too-large', maxBytes });
    const bytes = await large.read(request, response, { context, maxBytes, smallBytes: maxBodyBytes });
    if (bytes.length > maxBodyBytes) state.largeBodyBytes = bytes.length;
    request.body = await parseBody(bytes, bytes.length > maxBodyBytes ? maxLargeMembers : undefined);
    return true;
  } catch (error) {
    const isTooLarge = error instanceof ProblemError && error.problem.kind === 'too-large';
    if (error instanceof GraphQLError) {
      // Thrown when the context is needed, so that the response has the shape of GraphQL.
      state.graphql = { error };
      return true;
    }
    throw isTooLarge ? new UnreadableBodyError(413, `The request is larger than ${maxBytes} bytes.`) : error;
  }
}

/** The message for an error of `graphqlBody` with a status below 500. */
export function unreadableBodyMessage(error: { status?: unknown }): string {
  if (error instanceof UnreadableBodyError) return error.message;
  if (error.status === 413) return `The request is larger than ${maxBodyBytes} bytes.`;
  if (error.status === 415) return unsupportedEncoding;
  return malformed().message;
}

/** Length of a body in plain UTF-8, if it is known. */
function plainLength(request: Request): number | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return length !== undefined && encoding === undefined && isPlainUtf8(request) ? Number(length) : undefined;
}

/** Neither compressed nor of another charset. The media type has been checked before. */
const isPlainUtf8 = (request: Request): boolean => request.headers['content-encoding'] === undefined && isUtf8(request);

/** Whether no parameter names another charset. */
function isUtf8({ headers }: Request): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  return charset.toLowerCase() === 'utf-8';
}

/** Drops a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed();
  }
}

async function parseBody(bytes: Buffer, maxMembers?: number): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  const text = decodeUtf8(bytes);
  let body: unknown;
  try {
    body = await parseJson(text, maxMembers);
  } catch (error) {
    throw error instanceof JsonRefusedError ? refusalOf(error.reason) : error;
  }
  if (typeof body !== 'object' || body === null) throw malformed();
  return body;
}

/**
 * Parses the bytes that body-parser has decompressed. It would decode any charset that iconv-lite calls `utf-`: in UTF-7 and UTF-16
 * brackets and quotes are other bytes and would not be counted.
 */
async function readText(request: Request): Promise<void> {
  if (!Buffer.isBuffer(request.body)) return;
  if (!isUtf8(request)) throw new UnreadableBodyError(415, unsupportedEncoding);
  request.body = await parseBody(request.body);
}

const unsupportedEncoding =
  'The encoding of the request is not supported: send UTF-8, plain or compressed by gzip, br or deflate.';

function refusalOf(reason: JsonRefusal): Error {
  switch (reason.is) {
    case 'depth':
      return new UnreadableBodyError(400, `The body is nested more than ${reason.max} levels deep.`);
    case 'members':
      return new UnreadableBodyError(400, `The body has more than ${reason.max} members and items.`);
    case 'repeated-key':
      return new UnreadableBodyError(400, 'An object in the body has a key twice.');
    case 'syntax':
      return malformed();
  }
}
