import { createHash, hash } from 'node:crypto';
import { nextEventLoopTurn } from './event-loop-turn.ts';
import type { HttpResponse, RequestHeaders } from './http-messages.ts';
import { ProblemError } from './problem.ts';

/** A strong entity tag of a body. */
export function computeEtag(text: string): string {
  return `"${hash('sha256', text)}"`;
}

/** Characters, or bytes, that are hashed in one turn of the event loop: 3 ms. */
const charactersPerTurn = 1_000_000;

/** The tag of a body, and whether the body has URLs that expire. */
export interface BodyTag {
  etag: string;
  expires: boolean;
}

/** Longest text in which the end of a key is looked for: no URL is as long. */
const maxUrlLength = 64 * 1024;

/**
 * The tag of `computeEtag`, which is computed in turns of the event loop: 25 MB take 70 ms.
 * @param expiringUrls as in `Product`; a body with such URLs has a weak tag, which tells nothing of them
 */
export async function computeBodyTag(body: string | Buffer, expiringUrls: RegExp | undefined): Promise<BodyTag> {
  const withoutUrls = (text: string): string => (expiringUrls ? text.replace(expiringUrls, '') : text);
  if (typeof body === 'string' && body.length <= charactersPerTurn) {
    const lasting = withoutUrls(body);
    return bodyTag(computeEtag(lasting), lasting.length < body.length);
  }
  const digest = createHash('sha256');
  let expires = false;
  for (let at = 0; at < body.length; ) {
    if (at > 0) await nextEventLoopTurn();
    const end = endOfPart(body, at + charactersPerTurn);
    const part = typeof body === 'string' ? body.slice(at, end) : body.toString('latin1', at, end);
    const lasting = withoutUrls(part);
    expires ||= lasting.length < part.length;
    digest.update(lasting, typeof body === 'string' ? 'utf8' : 'latin1');
    at = end;
  }
  return bodyTag(`"${digest.digest('hex')}"`, expires);
}

const bodyTag = (etag: string, expires: boolean): BodyTag => ({ etag: expires ? `W/${etag}` : etag, expires });

/** Where a part of a JSON text ends that is longer than `least`: between keys, or in a text that is longer than a URL. */
function endOfPart(body: string | Buffer, least: number): number {
  if (least + maxUrlLength >= body.length) return body.length;
  const window =
    typeof body === 'string' ? body.slice(least, least + maxUrlLength) : body.subarray(least, least + maxUrlLength);
  const found = window.indexOf(',"');
  if (found >= 0) return least + found + 1;
  // The halves of a surrogate pair would be hashed as two replacement characters.
  const isSplit = typeof window === 'string' && (window.charCodeAt(maxUrlLength - 1) & 0xfc00) === 0xd800;
  return least + maxUrlLength + (isSplit ? 1 : 0);
}

/** Adds quotes unless the tag has them. */
export function quoteEtag(etag: string): string {
  return /^(W\/)?".*"$/.test(etag) ? etag : `"${etag}"`;
}

/**
 * Whether the client's copy is current (RFC 9110, 13.2.2). Tags are compared weakly, because a proxy that compresses the
 * response makes its tag weak. If-Modified-Since is used only without If-None-Match.
 */
export function isFresh(headers: RequestHeaders, response: Pick<HttpResponse, 'getHeader'>): boolean {
  const etag = response.getHeader('ETag');
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === '*') return true;
    return typeof etag === 'string' && parseEtagList(noneMatch).includes(opaqueTag(etag));
  }
  const since = parseHttpDate(headers['if-modified-since']);
  const modified = parseHttpDate(String(response.getHeader('Last-Modified') ?? ''));
  return since !== undefined && modified !== undefined && modified <= since;
}

/**
 * Whether If-Match allows a write of a resource that exists and has the tag `etag`. RFC 9110, 13.1.1 asks for strong comparison;
 * opaque tags are compared instead, because a compressed response carries the tag of its content as a weak one and its reader
 * could otherwise never write. A resource without a tag matches `*` only.
 */
export function matchesEtag(ifMatch: string, etag: string | undefined): boolean {
  if (ifMatch.trim() === '*') return true;
  return etag !== undefined && parseEtagList(ifMatch).includes(opaqueTag(etag));
}

/**
 * @throws ProblemError for an If-Modified-Since that cannot be parsed. RFC 9110 ignores such a date; the published contracts
 * refuse it.
 */
export function assertReadableDate(headers: RequestHeaders): void {
  const value = headers['if-modified-since'];
  if (value === undefined || headers['if-none-match'] !== undefined || parseHttpDate(value) !== undefined) return;
  throw new ProblemError({ kind: 'header', name: 'If-Modified-Since', reason: 'unreadable', value });
}

/** Opaque tags. Some clients omit the quotes. */
function parseEtagList(list: string): string[] {
  return [...list.matchAll(/(?:W\/)?"([^"]*)"|([^\s,"]+)/g)].map(found => found[1] ?? found[2] ?? '');
}

function opaqueTag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}

/** The three forms of RFC 9110, 5.6.7, and ISO 8601. `Date.parse` alone finds a year in nearly any text. */
const dateFormats = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (GMT|UTC)$/,
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
  /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/,
];

/** Whole seconds since 1970, the precision of HTTP dates. */
function parseHttpDate(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!dateFormats.some(format => format.test(trimmed))) return undefined;
  // The asctime form has no zone and means UTC.
  const time = Date.parse(/\d{4}$/.test(trimmed) ? `${trimmed} GMT` : trimmed);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
