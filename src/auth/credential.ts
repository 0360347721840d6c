import type { IncomingMessage } from 'node:http';
import type { Read } from '../db/read.ts';
import { badCredential } from '../errors/errors.ts';
import type { Actor } from './actor.ts';
import { sessionState } from './sessions.ts';
import { TokenRefused, type Tokens } from './tokens.ts';

export interface CredentialTools {
  read: Read;
  tokens: Tokens;
  now: Date;
}

/**
 * Who a request of the health product comes from. A credential that is sent and cannot be believed fails even where none is
 * needed: clients refresh their tokens on 401. A scheme other than Bearer counts as no credential.
 */
export async function actorOf(request: IncomingMessage, ip: string, tools: CredentialTools): Promise<Actor> {
  const header = request.headers.authorization;
  if (header === undefined) return { kind: 'anonymous', ip };
  const [scheme = '', ...rest] = header.trim().split(/\s+/);
  if (scheme.toLowerCase() !== 'bearer') return { kind: 'anonymous', ip };
  const [text] = rest;
  if (text === undefined || rest.length !== 1) {
    throw badCredential(
      { reason: 'bad_authorization_header' },
      'Authorization header must contain two space-delimited values',
    );
  }
  const token = await tools.tokens.read('access', text, tools.now).catch((error: unknown) => {
    throw error instanceof TokenRefused ? accessTokenNotValid(error.message) : error;
  });
  const state = await sessionState(tools.read, token, tools.now);
  if (!state.userExists) throw badCredential({ reason: 'user_not_found' }, 'User not found');
  if (!state.userActive) throw badCredential({ reason: 'user_inactive' }, 'User is inactive');
  if (!state.open) throw accessTokenNotValid('Token is invalid');
  return { kind: 'person', ip, userId: token.userId, sessionId: token.sessionId, isGuest: state.isGuest };
}

/** Why an access token does not open anything: 401, `token_not_valid`. */
export function accessTokenNotValid(message: string): Error {
  return badCredential(
    { reason: 'token_not_valid', messages: [{ token_class: 'AccessToken', token_type: 'access', message }] },
    'Given token not valid for any token type',
  );
}
