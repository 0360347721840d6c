import { createHash, randomUUID } from 'node:crypto';

/** Lifetime of links in mails, in hours. */
export const validHours = { activation: 48, passwordReset: 1 } as const;

/** A new token for a mail, and its hash for storage. A UUID, as the published API documents; 122 random bits. */
export function newMailToken(): { token: string; hash: string } {
  const token = randomUUID();
  return { token, hash: hashMailToken(token) };
}

/** SHA-256: a slow hash would add nothing for a random token. Accepts any text. */
export function hashMailToken(token: string): string {
  return createHash('sha256').update(token.trim().toLowerCase()).digest('hex');
}
