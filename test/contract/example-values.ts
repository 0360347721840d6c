const uuids = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const secretUuid = '00000000-0000-4000-8000-000000000000';

/**
 * An answer or a body as an example: secrets, addresses, times and identifiers that differ between two runs have fixed values, and
 * lists and texts are short.
 *
 * @param origin of the gateway that was asked
 */
export function exampleOf(value: unknown, origin: string): unknown {
  const seen = new Map<string, string>();
  /** The same replacement for the same text, so that the parts of an example fit together. */
  const numbered = (found: string, format: (count: string) => string): string => {
    const known = seen.get(found) ?? format(String(seen.size + 1));
    seen.set(found, known);
    return known;
  };
  const text = (key: string, found: string): string => {
    if (secretKeys.test(key) || secretTexts.test(found)) return uuids.test(found) ? secretUuid : '<secret>';
    const short = found.length > maxText && !/^https?:/.test(found) ? `${found.slice(0, maxText)}…` : found;
    return short
      .replaceAll(origin, 'https://portico.example')
      .replace(/127\.0\.0\.1(:\d+)?/g, 'portico.example')
      .replace(/ssh-ed25519 [\w+/=]+/g, `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)}`)
      .replace(/official-\d+/g, 'notes')
      .replace(/as_of=[\d.]+/g, 'as_of=1790842200000.63')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, one =>
        numbered(one, count => `00000000-0000-4000-8000-${count.padStart(12, '0')}`),
      )
      .replace(/\b[0-9a-f]{40}\b/g, one => numbered(one, count => count.padStart(40, 'a')))
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?/g, (_, digits = '') => `${day}T08:10:00${digits && '.000000'}`)
      .replace(/^\d{4}-\d\d-\d\d$/, birthKeys.test(key) ? '$&' : day);
  };
  const walk = (found: unknown, key: string): unknown => {
    if (typeof found === 'string') return text(key, found);
    if (Array.isArray(found)) return found.slice(0, 1).map(one => walk(one, key));
    if (typeof found !== 'object' || found === null) return found;
    if (isWindow(found)) return { ...found, limit: 60, used: 1, remaining: 59, reset: resetAt };
    const entries = Object.entries(found);
    // One with more keys is a table, such as that of the emojis.
    const shown = entries.length > maxKeys ? entries.slice(0, 3) : entries;
    return Object.fromEntries(shown.map(([name, one]) => [name, walk(one, name)]));
  };
  return walk(value, '');
}

const day = '2026-10-01';
const resetAt = Date.parse(`${day}T09:10:00Z`) / 1000;
const maxText = 160;
const maxKeys = 200;

/** The state of a rate limit, whose figures are those of the test. */
const isWindow = (found: object): boolean => 'limit' in found && 'remaining' in found && 'reset' in found;

const birthKeys = /birth/;
const secretKeys =
  /^(access|refresh|access_token|token|hashed_token|token_last_eight|password2?|(old|new)_password2?|secret|client_secret|pem|webhook_secret)$/;
const secretTexts = /\bhost[a-z]?_\w{20,}|\beyJ[\w-]{10,}\.|demo-[\w-]{12}\b/;
