import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ProblemError } from './problem.ts';

/** A strong tag of a body. */
export function computeEtag(text: string): string {
  return `"${createHash('sha256').update(text).digest('hex')}"`;
}

/** With quotes, whether or not it has them already. */
export function quoteEtag(etag: string): string {
  return /^(W\/)?".*"$/.test(etag) ? etag : `"${etag}"`;
}

/**
 * Whether the caller has what would be sent: compared weakly, so that a tag that a proxy made weak while it compressed the
 * answer still counts. If-Modified-Since is only looked at where there is no If-None-Match (RFC 9110, 13.2.2).
 */
export function isFresh(headers: IncomingHttpHeaders, response: Pick<ServerResponse, 'getHeader'>): boolean {
  const etag = response.getHeader('ETag');
  const wanted = headers['if-none-match'];
  if (wanted !== undefined) {
    if (wanted.trim() === '*') return true;
    return typeof etag === 'string' && parseEtagList(wanted).includes(opaqueTag(etag));
  }
  const since = parseHttpDate(headers['if-modified-since']);
  const modified = parseHttpDate(String(response.getHeader('Last-Modified') ?? ''));
  return since !== undefined && modified !== undefined && modified <= since;
}

/** Throws for a date that cannot be read, which published contracts do not pass over as RFC 9110 does. */
export function assertReadableDate(headers: IncomingHttpHeaders): void {
  const value = headers['if-modified-since'];
  if (value === undefined || headers['if-none-match'] !== undefined || parseHttpDate(value) !== undefined) return;
  throw new ProblemError({ kind: 'header', name: 'If-Modified-Since', is: 'unreadable', value });
}

/** Some clients leave the quotes out. */
function parseEtagList(list: string): string[] {
  return [...list.matchAll(/(?:W\/)?"([^"]*)"|([^\s,"]+)/g)].map(found => found[1] ?? found[2] ?? '');
}

function opaqueTag(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}

/** The three forms of RFC 9110, 5.6.7, and ISO 8601. `Date.parse` alone would find a year in nearly any text. */
const dateFormats = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (GMT|UTC)$/,
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
  /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/,
];

/** Whole seconds, which is all that such a header can say. */
function parseHttpDate(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!dateFormats.some(form => form.test(trimmed))) return undefined;
  // The form of C has no zone and means UTC.
  const time = Date.parse(/\d{4}$/.test(trimmed) ? `${trimmed} GMT` : trimmed);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The one range of bytes that is asked for; undefined where all are to be sent: no range, several of them, a unit or form
 * that is not known, or a part of something that has changed. Throws where nothing is in it.
 */
export function parseByteRange(
  headers: IncomingHttpHeaders,
  size: number,
  etag: string | undefined,
): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const condition = headers['if-range'];
  // Parts of different versions must not be put together: that takes a strong tag.
  if (condition !== undefined && (condition !== etag || condition.startsWith('W/'))) return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  if (start >= size || start > end) throw new ProblemError({ kind: 'range', size });
  return { start, end };
}
