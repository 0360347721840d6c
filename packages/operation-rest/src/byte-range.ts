import type { RequestHeaders } from './http-messages.ts';
import { ProblemError } from './problem.ts';

/** Offsets of the first and the last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The range that a request selects from `size` bytes. Undefined if the whole content is to be sent: no Range header, several
 * ranges, an unknown unit or form, or an If-Range that does not match. @throws ProblemError if the range selects no byte.
 */
export function parseByteRange(headers: RequestHeaders, size: number, etag: string | undefined): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const ifRange = headers['if-range'];
  // Parts of different versions must not be combined, which takes a strong tag (RFC 9110, 13.1.5).
  if (ifRange !== undefined && (ifRange !== etag || ifRange.startsWith('W/'))) return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  if (start >= size || start > end) throw new ProblemError({ kind: 'range', size });
  return { start, end };
}
