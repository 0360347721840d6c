import { deriveKeys } from '../src/auth/derived-keys.ts';
import { SessionTokens } from '../src/auth/session-tokens.ts';
import { readConfig } from '../src/config/config.ts';
import { benchSecret } from './load-build.ts';

/** An authenticated person of the demo data with a profile for recommendations: see `prepareWorld`. */
export const reader = { name: 'amira', userId: 1, sessionId: '6f4f4c56-21a7-4f3c-9a2e-0d7f6f3b8c11' };

const hour = 3_600_000;

/** Authorization header of the reader, valid for the duration of a run. */
export async function asReader(): Promise<{ Authorization: string }> {
  const tokens = new SessionTokens(deriveKeys(readConfig({ SECRET_KEY: benchSecret })).sessionTokens);
  const issuedAt = new Date();
  const { userId, sessionId } = reader;
  const claims = { id: sessionId, userId, sessionId, issuedAt, expiresAt: new Date(issuedAt.getTime() + 4 * hour) };
  return { Authorization: `Bearer ${await tokens.sign('access', claims)}` };
}
