import express, { type Request, type RequestHandler, type Response } from 'express';
import { GraphQLError } from 'graphql';
import { ClientDisconnectedError, findJsonExcess, type JsonExcess, ProblemError } from 'operation-rest';
import type { LargeGraphqlBodies } from './large-graphql-body.ts';
import { requestStateOf } from './request-state.ts';

/** Maximum body size in bytes: several times 2,000 tokens with their variables. Some input fields take more (`@LargeInput`). */
export const maxBodyBytes = 256 * 1024;

/** Members and items of a larger body: 50,000 entries of a tree with their three properties. 200,000 take 150 ms to parse. */
const maxLargeMembers = 250_000;

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
export function graphqlBody(large: LargeGraphqlBodies): RequestHandler {
  const parser = express.json({ limit: maxBodyBytes, verify: assertSimpleJson });
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
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    // A client that has left gets no response, and the slot is released on close.
    request.on('error', () => {});
    request.once('end', () => {
      try {
        request.body = parseBody(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
      } catch (error) {
        next(error);
        return;
      }
      next();
    });
  };
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
  const isPlain = length !== undefined || isPlainJson(request);
  const maxBytes = isPlain ? large.maxBytesFor(context) : 0;
  if (context === undefined || maxBytes === 0) return false;
  try {
    if (length !== undefined && length > maxBytes) throw new ProblemError({ kind: 'too-large', maxBytes });
    const bytes = await large.read(request, response, { context, maxBytes, smallBytes: maxBodyBytes });
    if (bytes.length > maxBodyBytes) state.largeBodyBytes = bytes.length;
    request.body = parseBody(bytes, bytes.length > maxBodyBytes ? maxLargeMembers : undefined);
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
  if (error.status === 415) {
    return 'The encoding of the request is not supported: send UTF-8, plain or compressed by gzip, br or deflate.';
  }
  return malformed().message;
}

/** Length of a body in plain UTF-8, if it is known. */
function plainLength(request: Request): number | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return length !== undefined && encoding === undefined && isPlainJson(request) ? Number(length) : undefined;
}

function isPlainJson({ headers }: Request): boolean {
  if (headers['content-encoding'] !== undefined) return false;
  return /^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i.test(headers['content-type'] ?? '');
}

function parseBody(bytes: Buffer, maxMembers?: number): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  assertSimple(text, maxMembers);
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

function assertSimple(json: string, maxMembers?: number): void {
  const excess = findJsonExcess(json, maxMembers);
  if (excess) throw new UnreadableBodyError(400, excessMessages[excess.is](excess.max));
}
