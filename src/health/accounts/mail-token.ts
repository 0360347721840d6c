import { createHash, randomUUID } from 'node:crypto';

/** Hours a link in a mail is good for. */
export const validHours = { activation: 48, passwordReset: 1 } as const;

/** A token for a mail, and what is stored of it. A UUID because the published body says so: 122 random bits. */
export function newMailToken(): { token: string; hash: string } {
  const token = randomUUID();
  return { token, hash: hashMailToken(token) };
}

/** SHA-256: the token is random, so a slow hash would protect nothing more. Any text has one, a token or not. */
export function hashMailToken(token: string): string {
  return createHash('sha256').update(token.trim().toLowerCase()).digest('hex');
}
