import { createHash } from 'node:crypto';

/**
 * The published form of a request's id: five groups of hex digits. They are those of the UUID in the log, or a digest of
 * the id that the caller gave, which is sent back in X-Request-Id beside it.
 */
export function formatRequestId(id: string): string {
  const digits = id.replaceAll('-', '');
  const hex = /^[\da-f]{32}$/i.test(digits) ? digits : createHash('sha256').update(id).digest('hex').slice(0, 32);
  return hex.toUpperCase().replace(/^(.{4})(.{6})(.{7})(.{7})/, '$1:$2:$3:$4:');
}
