import { createHash } from 'node:crypto';

/**
 * The published form of a request id: five groups of hex digits, those of the UUID in the log. For an id chosen by the caller,
 * which X-Request-Id returns unchanged, they are digits of its SHA-256.
 */
export function formatRequestId(id: string): string {
  const digits = id.replaceAll('-', '');
  const hex = /^[\da-f]{32}$/i.test(digits) ? digits : createHash('sha256').update(id).digest('hex').slice(0, 32);
  return hex.toUpperCase().replace(/^(.{4})(.{6})(.{7})(.{7})/, '$1:$2:$3:$4:');
}
