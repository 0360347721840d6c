import type { IncomingMessage } from 'node:http';
import { decodeProtectedHeader } from 'jose';
import { badCredential, forbidden } from '../../errors/errors.ts';
import type { Throttle } from '../../limits/throttle.ts';
import type { Actor } from '../actor.ts';
import { tokenKind } from '../hosting-token.ts';
import { ForgedJwt, jwtRefused, looksLikeJwt } from './app-jwt.ts';
import { clientPair } from './oauth-app-basic.ts';
import type { Looked, VerifiedCredentials } from './verified-credentials.ts';

export interface HostingCredentialTools {
  credentials: VerifiedCredentials;
  throttle: Throttle;
  now: Date;
}

const notValid = (): Error => badCredential({}, 'Bad credentials');
const locked = (): Error =>
  forbidden({ reason: 'locked' }, 'Maximum number of login attempts exceeded. Please try again later.');

/**
 * Who a request of the code hosting product comes from. `Bearer` and `token` bring a token, `Bearer` alone the JWT of an
 * app, Basic the client id and secret of an app. A scheme that nobody knows counts as no credential.
 *
 * Bad attempts. Ten within a quarter of an hour lock for five minutes, then ten more for ten, and so on up to a quarter of
 * an hour; while that lasts good credentials are refused with 403 as well, so that guessing tells nothing. What is locked
 * hangs on what a bad attempt tells. A token that we know and took back, the forged JWT of an app that there is, a wrong
 * secret for a client id that there is: that owner's credentials, from the address (of IPv6: the /64) of the attempt. A token
 * that nobody has belongs to nobody: all credentials from that address. A lock never reaches beyond the address, so a
 * stranger elsewhere locks nobody out; rejected was counting by owner alone, which would hand a switch to whoever knows a
 * public client id or finds a revoked token. Expired tokens are 401 and count for nothing: a fleet whose token runs out at
 * the full hour is not guessing, and a JWT with wrong times is signed by the right key.
 */
export async function hostingActorOf(
  request: Pick<IncomingMessage, 'headers'>,
  ip: string,
  tools: HostingCredentialTools,
): Promise<Actor> {
  const [, scheme = '', payload = ''] = /^\s*([^\s]*)\s*(.*?)\s*$/s.exec(request.headers.authorization ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return looksLikeJwt(payload)
        ? signed(payload, ip, tools)
        : known(await tools.credentials.token(payload, ip, tools.now), ip, tools);
    case 'token':
      return known(await tools.credentials.token(payload, ip, tools.now), ip, tools);
    case 'basic': {
      const pair = clientPair(payload);
      const looked: Looked = pair ? await tools.credentials.client(pair, ip) : { refused: 'unknown', owner: undefined };
      return known(looked, ip, tools);
    }
    default:
      return { kind: 'anonymous', ip };
  }
}

/**
 * Whether an Authorization header is for the code hosting product where both are served. Told by its form alone: what is
 * wrong with it is found out by the product it belongs to.
 */
export function isForHosting(header: string): boolean {
  const [scheme = '', text = ''] = header.trim().split(/\s+/);
  if (/^(token|basic)$/i.test(scheme)) return true;
  if (!/^bearer$/i.test(scheme)) return false;
  if (!looksLikeJwt(text)) return tokenKind(text) !== undefined || text.startsWith('host');
  try {
    return decodeProtectedHeader(text).alg === 'RS256';
  } catch {
    return false;
  }
}

async function signed(text: string, ip: string, tools: HostingCredentialTools): Promise<Actor> {
  try {
    return await known(await tools.credentials.jwt(text, ip, tools.now), ip, tools);
  } catch (error) {
    if (!(error instanceof ForgedJwt)) throw error;
    const owner = error.appId === undefined ? undefined : `app ${error.appId}`;
    if (!(await tools.throttle.credentialFailed(owner, ip))) throw locked();
    throw jwtRefused();
  }
}

async function known(looked: Looked, ip: string, { throttle }: HostingCredentialTools): Promise<Actor> {
  if ('actor' in looked) {
    if (!(await throttle.credentialAllowed(looked.owner, ip))) throw locked();
    return looked.actor;
  }
  const allowed =
    looked.refused === 'expired'
      ? await throttle.credentialAllowed(looked.owner, ip)
      : await throttle.credentialFailed(looked.owner, ip);
  throw allowed ? notValid() : locked();
}
