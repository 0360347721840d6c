import type { IncomingMessage } from 'node:http';
import type { Read } from '../db/read.ts';
import { badCredential } from '../errors/errors.ts';
import type { Actor } from './actor.ts';
import { parseAuthorization } from './authorization-header.ts';
import { InvalidTokenError, type SessionTokens } from './session-tokens.ts';
import { loadSessionState, suspendedError } from './sessions.ts';

export interface HealthCredentialDependencies {
  read: Read;
  tokens: SessionTokens;
  now: Date;
}

/**
 * Authenticates a request of the health product. An invalid Bearer token fails even where no credential is required, because
 * clients refresh their tokens on 401. A scheme other than Bearer counts as no credential.
 *
 * @throws GraphQLError BAD_CREDENTIAL (401)
 */
export async function authenticateHealth(
  request: IncomingMessage,
  ip: string,
  dependencies: HealthCredentialDependencies,
): Promise<Actor> {
  const header = request.headers.authorization;
  if (header === undefined) return { kind: 'anonymous', ip };
  const { scheme, payload } = parseAuthorization(header);
  if (scheme !== 'bearer') return { kind: 'anonymous', ip };
  if (payload === '' || /\s/.test(payload)) {
    throw badCredential(
      { reason: 'bad_authorization_header' },
      'Authorization header must contain two space-delimited values',
    );
  }
  const token = await dependencies.tokens.verify('access', payload, dependencies.now).catch((error: unknown) => {
    throw error instanceof InvalidTokenError ? invalidAccessToken(error.message) : error;
  });
  const state = await loadSessionState(dependencies.read, token, dependencies.now);
  if (!state.userExists) throw badCredential({ reason: 'user_not_found' }, 'User not found');
  if (!state.userActive) throw badCredential({ reason: 'user_inactive' }, 'User is inactive');
  if (state.suspendedUntil !== null) throw suspendedError(state.suspendedUntil);
  if (!state.isOpen) throw invalidAccessToken('Token is invalid');
  const { isGuest, isModerator } = state;
  return { kind: 'person', ip, userId: token.userId, sessionId: token.sessionId, isGuest, isModerator };
}

/** The error for an invalid access token: 401, `token_not_valid`. */
export function invalidAccessToken(message: string): Error {
  return badCredential(
    { reason: 'token_not_valid', messages: [{ token_class: 'AccessToken', token_type: 'access', message }] },
    'Given token not valid for any token type',
  );
}
