import type { IncomingMessage } from 'node:http';
import { decodeProtectedHeader } from 'jose';
import { badCredential, forbidden } from '../../errors/errors.ts';
import { isCredentialAllowed, tryChargeBadCredential } from '../../limits/credential-limits.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import type { Actor } from '../actor.ts';
import { parseTokenKind } from '../hosting-token.ts';
import { ForgedJwtError, looksLikeJwt, undecodableJwt } from './app-jwt.ts';
import type { CredentialLookup, CredentialStore } from './credential-store.ts';
import { parseBasicLogin, parseClientCredentials } from './oauth-app-basic.ts';

export interface HostingCredentialDependencies {
  credentials: CredentialStore;
  rateLimiter: RateLimiter;
  now: Date;
}

const badCredentials = (): Error => badCredential({}, 'Bad credentials');
const lockedOut = (): Error =>
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
export async function authenticateHosting(
  request: Pick<IncomingMessage, 'headers'>,
  ip: string,
  dependencies: HostingCredentialDependencies,
): Promise<Actor> {
  const [, scheme = '', payload = ''] = /^\s*([^\s]*)\s*(.*?)\s*$/s.exec(request.headers.authorization ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return looksLikeJwt(payload)
        ? authenticateJwt(payload, ip, dependencies)
        : assertAccepted(await dependencies.credentials.verifyToken(payload, ip, dependencies.now), ip, dependencies);
    case 'token':
      return assertAccepted(
        await dependencies.credentials.verifyToken(payload, ip, dependencies.now),
        ip,
        dependencies,
      );
    case 'basic':
      return assertAccepted(await verifyBasic(payload, ip, dependencies), ip, dependencies);
    default:
      return { kind: 'anonymous', ip };
  }
}

/**
 * Whether an Authorization header is for the code hosting product where both are served. Told by its form alone: what is
 * wrong with it is found out by the product it belongs to.
 */
export function isHostingCredential(header: string): boolean {
  const [scheme = '', text = ''] = header.trim().split(/\s+/);
  if (/^(token|basic)$/i.test(scheme)) return true;
  if (!/^bearer$/i.test(scheme)) return false;
  if (!looksLikeJwt(text)) return parseTokenKind(text) !== undefined || text.startsWith('host');
  try {
    return decodeProtectedHeader(text).alg === 'RS256';
  } catch {
    return false;
  }
}

/** The client id and secret of an app; what is none may name a user, for whom it is a bad attempt. */
async function verifyBasic(
  payload: string,
  ip: string,
  { credentials, now }: HostingCredentialDependencies,
): Promise<CredentialLookup> {
  const pair = parseClientCredentials(payload);
  const looked = pair && (await credentials.verifyClient(pair, ip, now));
  if (looked && ('actor' in looked || looked.owner !== undefined)) return looked;
  const login = parseBasicLogin(payload);
  return { refused: 'unknown', owner: login === undefined ? undefined : await credentials.findOwnerByLogin(login) };
}

async function authenticateJwt(text: string, ip: string, dependencies: HostingCredentialDependencies): Promise<Actor> {
  try {
    return await assertAccepted(await dependencies.credentials.verifyJwt(text, ip, dependencies.now), ip, dependencies);
  } catch (error) {
    if (!(error instanceof ForgedJwtError)) throw error;
    const owner = error.appId === undefined ? undefined : `app ${error.appId}`;
    if (!(await tryChargeBadCredential(dependencies.rateLimiter, owner, ip))) throw lockedOut();
    throw undecodableJwt();
  }
}

async function assertAccepted(
  lookup: CredentialLookup,
  ip: string,
  { rateLimiter }: HostingCredentialDependencies,
): Promise<Actor> {
  if ('actor' in lookup) {
    if (!(await isCredentialAllowed(rateLimiter, lookup.owner, ip))) throw lockedOut();
    return lookup.actor;
  }
  const allowed =
    lookup.refused === 'expired'
      ? await isCredentialAllowed(rateLimiter, lookup.owner, ip)
      : await tryChargeBadCredential(rateLimiter, lookup.owner, ip);
  throw allowed ? badCredentials() : lockedOut();
}
