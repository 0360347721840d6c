import type { Hash } from 'node:crypto';
import { nextEventLoopTurn } from './event-loop-turn.ts';
import type { HttpRequest } from './http-messages.ts';
import { maxJsonMembers } from './json-complexity.ts';
import { type FormBody, parseMultipart } from './multipart-form.ts';
import { JsonRefusedError, parseJson } from './parse-json.ts';
import { ClientDisconnectedError, ProblemError } from './problem.ts';
import { parseForm } from './query-string.ts';
import { type AcquireSlot, TempFileJsonReader } from './temp-file-json-reader.ts';

/** The body of a request: a JSON object, or the texts and files of a form; undefined if it is empty. */
export type RequestBody = JsonBody | FormBody | undefined;

interface JsonBody {
  json: Record<string, unknown>;
  fields?: undefined;
  /** Closes the temporary files; absent if there are none. */
  close?(): Promise<void>;
}

/** Limits of a request body. */
export interface BodyLimits {
  /** A larger body is refused. */
  maxBytes: number;
  /** Of that, everything but files: the functions that check texts are measured with texts of this size. */
  maxTextBytes: number;
  /** A body up to this size is held in memory. Of a larger one, texts under `longTextKeys` go to files; the rest has the same limit. */
  maxMemoryBytes: number;
  /** Keys of texts that may be long and arrive as TempFileText. If empty, every body is held in memory. */
  longTextKeys: readonly string[];
  /** Waits for permission to keep a body in files; the result releases it. Absent: unlimited. */
  acquireFileSlot: AcquireSlot | undefined;
}

/** Members of a body that may be larger than others: 50,000 entries of a tree have five each. */
const maxLargeMembers = 250_000;

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the JSON object or the form of a request. `hash` takes its bytes as they arrive.
 * @throws ProblemError too-large as soon as the limit is passed (the rest is not read), media-type, malformed, not-an-object
 * @throws ClientDisconnectedError if the connection ends before the body does
 */
export async function readBody(
  request: HttpRequest,
  { maxBytes: maxFormBytes, maxTextBytes, maxMemoryBytes, longTextKeys, acquireFileSlot }: BodyLimits,
  contentType: 'json-or-form' | 'any',
  hash?: Hash,
): Promise<RequestBody> {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = request.headers;
  if (length === undefined && encoding === undefined) return undefined;
  const isJson = contentType === 'any' || jsonType.test(type);
  const maxBytes = isJson ? maxTextBytes : maxFormBytes;
  if (Number(length ?? 0) > maxBytes) throw new ProblemError({ kind: 'too-large', maxBytes });
  const reader =
    longTextKeys.length > 0 && isJson
      ? new TempFileJsonReader(longTextKeys, maxMemoryBytes, acquireFileSlot)
      : undefined;
  try {
    const bytes = await receiveBytes(request, maxBytes, reader && { reader, maxMemoryBytes }, hash);
    if (!bytes && reader) {
      await nextEventLoopTurn();
      const json = requireObject(await readJson(reader.end(), maxJsonMembers));
      reader.restore(json);
      return { json, close: () => reader.close() };
    }
    if (!bytes || bytes.length === 0) return undefined;
    if (!isJson) {
      if (/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
        // It has no files, for which a form may be larger than what is held in memory.
        if (bytes.length > maxMemoryBytes) throw new ProblemError({ kind: 'too-large', maxBytes: maxMemoryBytes });
        const form = await parseForm(decodeUtf8(bytes, 'Form'));
        if (!form) throw new ProblemError({ kind: 'malformed', format: 'Form', reason: { is: 'encoding' } });
        return { ...form, files: new Map() };
      }
      if (/^multipart\/form-data\s*;/i.test(type)) return parseMultipart(type, bytes, maxTextBytes);
      throw new ProblemError({ kind: 'media-type', type });
    }
    if (bytes.length > smallBodyBytes) await nextEventLoopTurn();
    const maxMembers = maxBytes > maxMemoryBytes ? maxLargeMembers : maxJsonMembers;
    const json = await readJson(decodeUtf8(bytes, 'JSON'), maxMembers);
    // Clients without a body to send may send the JSON of none.
    return json === null ? undefined : { json: requireObject(json) };
  } catch (error) {
    await reader?.close();
    throw error;
  }
}

function requireObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  const type = body === null ? 'null' : Array.isArray(body) ? 'array' : typeof body;
  throw new ProblemError({ kind: 'not-an-object', type });
}

/** Stores the chunks of a body, one after the other. */
interface ChunkReader {
  take(bytes: Buffer): Promise<void>;
}

/**
 * The bytes of a body; undefined if there were more than `maxMemoryBytes`, which were all passed to the reader, with
 * backpressure. Uses events: leaving a `for await` over the request destroys the connection, and with it the error response.
 */
export function receiveBytes(
  request: HttpRequest,
  maxBytes: number,
  toFile: { reader: ChunkReader; maxMemoryBytes: number } | undefined,
  hash?: Hash,
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    /** The reader's pending work; undefined until the reader is needed. */
    let reading: Promise<void> | undefined;
    let isSettled = false;
    const settle = (complete: () => void): void => {
      isSettled = true;
      request.off('data', onData).off('end', onEnd).off('error', onDisconnect).off('close', onDisconnect);
      // The caller closes the reader, which must have stored its last chunk by then.
      if (reading) reading.then(complete, reject);
      else complete();
    };
    const passChunksTo = (reader: ChunkReader): void => {
      const pending = chunks.splice(0);
      request.pause();
      const previous = reading ?? Promise.resolve();
      reading = previous.then(async () => {
        for (const chunk of pending) await reader.take(chunk);
      });
      reading.then(
        () => isSettled || request.resume(),
        (error: unknown) => isSettled || settle(() => reject(error)),
      );
    };
    const onData = (chunk: Buffer): void => {
      receivedBytes += chunk.length;
      hash?.update(chunk);
      chunks.push(chunk);
      if (receivedBytes > maxBytes) {
        request.pause();
        settle(() => reject(new ProblemError({ kind: 'too-large', maxBytes })));
      } else if (toFile && receivedBytes > toFile.maxMemoryBytes) passChunksTo(toFile.reader);
    };
    const onEnd = (): void => settle(() => resolve(reading ? undefined : Buffer.concat(chunks)));
    const onDisconnect = (): void => settle(() => reject(new ClientDisconnectedError()));
    if (request.destroyed) return onDisconnect();
    request.on('data', onData).on('end', onEnd).on('error', onDisconnect).on('close', onDisconnect);
  });
}

function decodeUtf8(bytes: Buffer, format: 'JSON' | 'Form'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ProblemError({ kind: 'malformed', format, reason: { is: 'encoding' } });
  }
}

/** A body of this size takes less than a millisecond to parse. */
const smallBodyBytes = 64 * 1024;

/** @throws ProblemError malformed */
async function readJson(text: string, maxMembers: number): Promise<unknown> {
  try {
    return await parseJson(text, maxMembers);
  } catch (error) {
    if (!(error instanceof JsonRefusedError)) throw error;
    throw new ProblemError({ kind: 'malformed', format: 'JSON', reason: error.reason });
  }
}
