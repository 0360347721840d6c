import type { IncomingMessage } from 'node:http';
import { decodeProtectedHeader } from 'jose';
import { badCredential, forbidden } from '../../errors/errors.ts';
import type { Throttle } from '../../limits/throttle.ts';
import type { Actor } from '../actor.ts';
import { tokenKind } from '../hosting-token.ts';
import { ForgedJwt, jwtRefused, looksLikeJwt } from './app-jwt.ts';
import { basicLogin, clientPair } from './oauth-app-basic.ts';
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
 * an hour. What is locked depends on whom the attempt names, and never reaches beyond its address (of IPv6: the /64).
 * An attempt that names an owner locks that owner's credentials, the good ones too: a token that was revoked, the forged JWT
 * of an app, a wrong secret for a client id, a login with a password. An attempt that names none locks its
 * like from the address: 403 instead of 401. Rejected: to lock good credentials by attempts that name no owner, which lets one
 * client behind a NAT or on a shared CI runner lock out all others there, and guards nothing, as 214 random bits are not
 * guessed; and to lock an owner everywhere, which gives anyone who knows a login or a client id a switch. Expired tokens are
 * 401 and count for nothing: a fleet whose token runs out at the full hour is not guessing, and a JWT with wrong times is
 * signed by the right key.
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
    case 'basic':
      return known(await basicCredential(payload, ip, tools), ip, tools);
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

/** The client id and secret of an app; what is none may name a user, for whom it is a bad attempt. */
async function basicCredential(
  payload: string,
  ip: string,
  { credentials, now }: HostingCredentialTools,
): Promise<Looked> {
  const pair = clientPair(payload);
  const looked = pair && (await credentials.client(pair, ip, now));
  if (looked && ('actor' in looked || looked.owner !== undefined)) return looked;
  const login = basicLogin(payload);
  return { refused: 'unknown', owner: login === undefined ? undefined : await credentials.ownerNamed(login) };
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
