import type { IncomingMessage } from 'node:http';
import { ClientGone, Failed } from './failure.ts';
import { type Form, readMultipart } from './form.ts';
import { readQuery } from './query.ts';

/** What a request carries: a JSON object, or the texts and files of a form; undefined for nothing. */
export type Body = { json: Record<string, unknown>; form?: undefined } | Form | undefined;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Levels of nesting a body may have. No published shape comes near it, and what follows a hundred thousand of them
 * recursively (printing, comparing, storing) overflows the stack.
 */
const deepest = 100;

/**
 * The JSON object or the form a request carries, or undefined for an empty body. Throws Failed: too-large as soon as the limit is
 * passed (the rest is not read), media-type, malformed for bytes that are no UTF-8 or no JSON, not-an-object.
 * Throws ClientGone when the connection ends before the body does.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  contentType: 'json-or-form' | 'any',
): Promise<Body> {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = request.headers;
  if (length === undefined && encoding === undefined) return undefined;
  if (Number(length ?? 0) > limit) throw new Failed({ kind: 'too-large', limit });
  const bytes = await receive(request, limit);
  if (bytes.length === 0) return undefined;
  if (contentType === 'json-or-form') {
    if (/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
      return { form: readQuery(`?${decoded(bytes, 'Form')}`), files: new Map() };
    }
    if (/^multipart\/form-data\s*;/i.test(type)) return readMultipart(type, bytes);
    if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) throw new Failed({ kind: 'media-type', type });
  }
  const body = parse(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const got = body === null ? 'null' : Array.isArray(body) ? 'array' : typeof body;
    throw new Failed({ kind: 'not-an-object', type: got });
  }
  return { json: body as Record<string, unknown> };
}

/** By events: leaving a `for await` over the request destroys the connection, and with it the answer that says why. */
function receive(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (how: () => void): void => {
      request.off('data', take).off('end', finish).off('error', lose).off('close', lose);
      how();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      request.pause();
      settle(() => reject(new Failed({ kind: 'too-large', limit })));
    };
    const finish = (): void => settle(() => resolve(Buffer.concat(chunks)));
    const lose = (): void => settle(() => reject(new ClientGone()));
    if (request.destroyed) return lose();
    request.on('data', take).on('end', finish).on('error', lose).on('close', lose);
  });
}

function decoded(bytes: Buffer, of: 'JSON' | 'Form'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Failed({ kind: 'malformed', of, message: 'The body is not valid UTF-8.' });
  }
}

function parse(bytes: Buffer): unknown {
  const text = decoded(bytes, 'JSON');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failed({ kind: 'malformed', of: 'JSON', message: (error as Error).message });
  }
  if (text.length > 2 * deepest && depthOf(text) > deepest) {
    throw new Failed({
      kind: 'malformed',
      of: 'JSON',
      message: `The body is nested more than ${deepest} levels deep.`,
    });
  }
  return value;
}

/** Of a text that is JSON. Read from the text because a walk over the value would need a stack of its own. */
function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === 0x22) inText = !inText;
    else if (character === 0x5c) at++;
    else if (inText) continue;
    else if (character === 0x7b || character === 0x5b) most = Math.max(most, ++depth);
    else if (character === 0x7d || character === 0x5d) depth--;
  }
  return most;
}
