import { deriveKeys } from '../src/auth/derived-keys.ts';
import { SessionTokens } from '../src/auth/session-tokens.ts';
import { readConfig } from '../src/config/config.ts';
import { benchSecret } from './load-build.ts';

/** Somebody of the demo world with a profile to recommend by, who is signed in: see `prepareWorld`. */
export const reader = { name: 'amira', userId: 1, sessionId: '6f4f4c56-21a7-4f3c-9a2e-0d7f6f3b8c11' };

const hour = 3_600_000;

/** The header of a request in the reader's name, good for as long as a run takes. */
export async function asReader(): Promise<{ Authorization: string }> {
  const tokens = new SessionTokens(deriveKeys(readConfig({ SECRET_KEY: benchSecret })).sessionTokens);
  const issuedAt = new Date();
  const { userId, sessionId } = reader;
  const claims = { id: sessionId, userId, sessionId, issuedAt, expiresAt: new Date(issuedAt.getTime() + 4 * hour) };
  return { Authorization: `Bearer ${await tokens.sign('access', claims)}` };
}
