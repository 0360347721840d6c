import type { IncomingMessage } from 'node:http';
import { decodeProtectedHeader } from 'jose';
import { badCredential, forbidden } from '../../errors/errors.ts';
import { isCredentialAllowed, tryChargeBadCredential } from '../../limits/credential-limits.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import type { Actor } from '../actor.ts';
import { parseAuthorization } from '../authorization-header.ts';
import { looksLikeToken } from '../hosting-token.ts';
import { ForgedJwtError, looksLikeJwt, undecodableJwt } from './app-jwt.ts';
import type { CredentialLookup, CredentialStore } from './credential-store.ts';
import { parseBasicLogin, parseBasicToken, parseClientCredentials } from './oauth-app-basic.ts';

export interface HostingCredentialDependencies {
  credentials: CredentialStore;
  rateLimiter: RateLimiter;
  now: Date;
}

const badCredentials = (): Error => badCredential({}, 'Bad credentials');
const lockedOut = (): Error =>
  forbidden({ reason: 'locked' }, 'Maximum number of login attempts exceeded. Please try again later.');

/**
 * Authenticates a request of the code hosting product. `Bearer` and `token` carry a token, `Bearer` also the JWT of an app,
 * `Basic` a token as git sends it, or the client id and secret of an app. An unknown scheme counts as no credential.
 *
 * Failed attempts: ten within 15 minutes lock for 5 minutes, ten more for 10, then for 15. An attempt that names an owner locks
 * every credential of that owner, valid ones included, from every address, as the contract says: a revoked token, a forged JWT, a
 * wrong client secret, a login with a password. An attempt that names none locks only further such attempts from its address
 * (IPv6: the /64), with 403 instead of 401.
 * Rejected: to lock valid credentials by attempts that name no owner. One client behind a NAT or on a shared CI runner would
 * lock out all others, and 214 random bits need no such protection. An expired token is 401 and not counted: many clients whose token
 * expires at the same time are not guessing, and a JWT with wrong times has a valid signature.
 *
 * @throws GraphQLError BAD_CREDENTIAL (401), FORBIDDEN (403) while locked or for a suspended installation
 */
export async function authenticateHosting(
  request: Pick<IncomingMessage, 'headers'>,
  ip: string,
  dependencies: HostingCredentialDependencies,
): Promise<Actor> {
  const { scheme, payload } = parseAuthorization(request.headers.authorization);
  switch (scheme) {
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
 * Whether an Authorization header belongs to the code hosting product, where one address serves both products. Decides by the
 * format alone; the product then verifies the credential.
 */
export function isHostingCredential(header: string): boolean {
  const { scheme, payload } = parseAuthorization(header);
  if (scheme === 'token' || scheme === 'basic') return true;
  if (scheme !== 'bearer') return false;
  const [text = ''] = payload.split(/\s/, 1);
  if (!looksLikeJwt(text)) return looksLikeToken(text);
  try {
    return decodeProtectedHeader(text).alg === 'RS256';
  } catch {
    return false;
  }
}

/** Verifies a token, or a client id and secret. Any other user name may be a login, for whose account the attempt counts as failed. */
async function verifyBasic(
  payload: string,
  ip: string,
  { credentials, now }: HostingCredentialDependencies,
): Promise<CredentialLookup> {
  const token = parseBasicToken(payload);
  if (token !== undefined) return credentials.verifyToken(token, ip, now);
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
    if (!(await isCredentialAllowed(rateLimiter, lookup.owner))) throw lockedOut();
    return lookup.actor;
  }
  const allowed =
    lookup.refused === 'expired'
      ? await isCredentialAllowed(rateLimiter, lookup.owner)
      : await tryChargeBadCredential(rateLimiter, lookup.owner, ip);
  throw allowed ? badCredentials() : lockedOut();
}
