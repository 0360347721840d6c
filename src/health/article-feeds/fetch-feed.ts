import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { getFollowing } from '../../outbound/follow-redirects.ts';
import type { OutboundClient, OutboundResponse } from '../../outbound/outbound-client.ts';

/** What the publisher said of the version that was read last. */
export interface FeedValidators {
  etag: string | null;
  lastModified: string | null;
}

export type FetchedFeed =
  /** `url`: where it has moved for good, or the address that was asked. */
  | ({ kind: 'feed'; url: string; status: number; bytes: Uint8Array } & FeedValidators)
  | { kind: 'unchanged'; url: string; status: number }
  /** `problem`: a sentence without its full stop. `retryAfter`: seconds; null where the publisher asked for none. */
  | { kind: 'failed'; status: number | null; problem: string; retryAfter: number | null };

/** Bytes of an answer: a tenth of what the importer reads of a file. Feeds with more have hundreds of long articles. */
const maxBytes = 2 * 1024 * 1024;
/** Bytes of a compressed answer after it was unpacked. */
const maxUnpackedBytes = 10 * 1024 * 1024;
/** Time for all redirects together. */
const deadlineMs = 60_000;
const unpack = promisify(gunzip);

const accept = 'application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, */*;q=0.5';

/**
 * Asks for a feed, unless it is what was read last. Follows redirects, each through the guard; those that are permanent from the first on
 * move the address. A redirect from https to http is a failure. @throws the reason of `signal` when that is aborted
 */
export async function fetchFeed(
  outbound: OutboundClient,
  { url, etag, lastModified }: { url: string } & FeedValidators,
  { now, signal }: { now: Date; signal?: AbortSignal },
): Promise<FetchedFeed> {
  const headers = {
    accept,
    'accept-encoding': 'gzip',
    'user-agent': 'Portico feed reader',
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
  const followed = await getFollowing(outbound, {
    url,
    headers,
    maxBytes,
    timeoutMs: deadlineMs,
    ...(signal ? { signal } : {}),
  });
  if ('problem' in followed) return failed(followed.status, followed.problem);
  const { answer, movedTo } = followed;
  const isConditional = etag !== null || lastModified !== null;
  if (answer.status === 304 && isConditional) return { kind: 'unchanged', url: movedTo, status: 304 };
  return resultOf(answer, movedTo, now);
}

const failed = (status: number | null, problem: string, retryAfter: number | null = null): FetchedFeed => ({
  kind: 'failed',
  status,
  problem,
  retryAfter,
});

async function resultOf(answer: OutboundResponse, url: string, now: Date): Promise<FetchedFeed> {
  const { status, headers, body, isTruncated } = answer;
  if (status !== 200) return failed(status, `the publisher answers with ${status}`, retryAfterOf(headers, now));
  if (isTruncated) return failed(status, `the answer has more than ${maxBytes / 1024 / 1024} MB`);
  const bytes = await unpacked(body, headers['content-encoding']);
  if (bytes === undefined) return failed(status, 'the answer is compressed and cannot be unpacked');
  const { etag, 'last-modified': lastModified } = headers;
  return { kind: 'feed', url, status, bytes, etag: validator(etag), lastModified: validator(lastModified) };
}

/** Undefined for what is not gzip, or too large. Some servers send gzip files as they are. */
async function unpacked(body: Buffer, encoding = ''): Promise<Uint8Array | undefined> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  if (isGzip) return unpack(body, { maxOutputLength: maxUnpackedBytes }).catch(() => undefined);
  return /^(?:|identity|(?:x-)?gzip)$/i.test(encoding.trim()) ? body : undefined;
}

/** What can be sent back as a header; null for anything else. */
const validator = (text: string | undefined): string | null =>
  text !== undefined && /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/.test(text) ? text : null;

/** Seconds of Retry-After, a number or a date; null for neither. */
function retryAfterOf(headers: Record<string, string>, now: Date): number | null {
  const text = headers['retry-after'];
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}
