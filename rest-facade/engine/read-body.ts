import type { IncomingMessage } from 'node:http';
import { nextEventLoopTurn } from './event-loop-turn.ts';
import { findJsonExcess } from './json-complexity.ts';
import { type FormBody, parseMultipart } from './multipart-form.ts';
import { ClientDisconnectedError, ProblemError } from './problem.ts';
import { parseQueryString } from './query-string.ts';
import { TempFileJsonReader } from './temp-file-json-reader.ts';

/** What a request carries: a JSON object, or the texts and files of a form; undefined for nothing. */
export type RequestBody = JsonBody | FormBody | undefined;

interface JsonBody {
  json: Record<string, unknown>;
  form?: undefined;
  /** Lets go of the texts that are in files; absent where none are. */
  close?(): Promise<void>;
}

/** How much of a body is taken, in bytes. */
export interface BodyLimits {
  /** More is refused. */
  most: number;
  /** Up to here it is held in memory; beyond, texts under `spooled` go to files, and the rest of it may be as large as this. */
  held: number;
  /** Keys of texts that may be long, as TempFileText. None: everything is held. */
  spooled: readonly string[];
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON object or the form a request carries, or undefined for an empty body. Throws Failed: too-large as soon as the limit is
 * passed (the rest is not read), media-type, malformed for bytes that are no UTF-8 or no JSON, not-an-object.
 * Throws ClientDisconnectedError when the connection ends before the body does.
 */
export async function readBody(
  request: IncomingMessage,
  { most, held, spooled }: BodyLimits,
  contentType: 'json-or-form' | 'any',
): Promise<RequestBody> {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = request.headers;
  if (length === undefined && encoding === undefined) return undefined;
  if (Number(length ?? 0) > most) throw new ProblemError({ kind: 'too-large', limit: most });
  const isJson = contentType === 'any' || jsonType.test(type);
  const reader = spooled.length > 0 && isJson ? new TempFileJsonReader(spooled, held) : undefined;
  try {
    const bytes = await receiveBytes(request, most, reader && { reader, beyond: held });
    if (!bytes && reader) {
      await nextEventLoopTurn();
      const json = requireObject(parseJson(reader.end()));
      reader.restore(json);
      return { json, close: () => reader.close() };
    }
    if (!bytes || bytes.length === 0) return undefined;
    if (!isJson) {
      if (/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
        return { form: parseQueryString(`?${decodeUtf8(bytes, 'Form')}`), files: new Map() };
      }
      if (/^multipart\/form-data\s*;/i.test(type)) return parseMultipart(type, bytes);
      throw new ProblemError({ kind: 'media-type', type });
    }
    if (bytes.length > smallBodyBytes) await nextEventLoopTurn();
    return { json: requireObject(parseJson(decodeUtf8(bytes, 'JSON'))) };
  } catch (error) {
    await reader?.close();
    throw error;
  }
}

function requireObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  const got = body === null ? 'null' : Array.isArray(body) ? 'array' : typeof body;
  throw new ProblemError({ kind: 'not-an-object', type: got });
}

/**
 * The bytes; or undefined when there were so many that all of them went to the reader, no faster than it takes them.
 * By events: leaving a `for await` over the request destroys the connection, and with it the answer that says why.
 */
function receiveBytes(
  request: IncomingMessage,
  limit: number,
  large: { reader: TempFileJsonReader; beyond: number } | undefined,
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    /** What the reader is doing; undefined before it is needed. */
    let reading: Promise<void> | undefined;
    let isSettled = false;
    const settle = (how: () => void): void => {
      isSettled = true;
      request.off('data', take).off('end', finish).off('error', lose).off('close', lose);
      // The reader is not left before it has put its last piece away.
      if (reading) reading.then(how, reject);
      else how();
    };
    const hand = ({ reader }: { reader: TempFileJsonReader }): void => {
      const pieces = chunks.splice(0);
      request.pause();
      const before = reading ?? Promise.resolve();
      reading = before.then(async () => {
        for (const piece of pieces) await reader.take(piece);
      });
      reading.then(
        () => isSettled || request.resume(),
        (error: unknown) => isSettled || settle(() => reject(error)),
      );
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) {
        request.pause();
        settle(() => reject(new ProblemError({ kind: 'too-large', limit })));
      } else if (large && size > large.beyond) hand(large);
    };
    const finish = (): void => settle(() => resolve(reading ? undefined : Buffer.concat(chunks)));
    const lose = (): void => settle(() => reject(new ClientDisconnectedError()));
    if (request.destroyed) return lose();
    request.on('data', take).on('end', finish).on('error', lose).on('close', lose);
  });
}

function decodeUtf8(bytes: Buffer, of: 'JSON' | 'Form'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ProblemError({ kind: 'malformed', of, message: 'The body is not valid UTF-8.' });
  }
}

/** Bytes of a body that takes less than a millisecond to parse. */
const smallBodyBytes = 64 * 1024;

function parseJson(text: string): unknown {
  const message = findJsonExcess(text);
  if (message !== undefined) throw new ProblemError({ kind: 'malformed', of: 'JSON', message });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProblemError({ kind: 'malformed', of: 'JSON', message: (error as Error).message });
  }
}
