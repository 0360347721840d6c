import type { IncomingMessage } from 'node:http';
import { decodeProtectedHeader } from 'jose';
import { badCredential, forbidden } from '../../errors/errors.ts';
import { chargeBadCredential, type Lockout, lockoutOf } from '../../limits/credential-limits.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import type { Actor } from '../actor.ts';
import { parseAuthorization } from '../authorization-header.ts';
import { looksLikeToken } from '../hosting-token.ts';
import { ForgedJwtError, looksLikeJwt, undecodableJwt } from './app-jwt.ts';
import { parseBasicToken } from './basic-token.ts';
import type { CredentialLookup, CredentialStore } from './credential-store.ts';
import { parseBasicLogin, parseClientCredentials } from './oauth-app-basic.ts';

export interface HostingCredentialDependencies {
  credentials: CredentialStore;
  rateLimiter: RateLimiter;
  now: Date;
}

const badCredentials = (): Error => badCredential({}, 'Bad credentials');
const lockedOut = ({ retryAfter }: Lockout): Error => {
  const facts = { reason: 'locked', retryAfter, headers: { 'Retry-After': String(retryAfter) } };
  return forbidden(facts, 'Maximum number of login attempts exceeded. Please try again later.');
};

/**
 * Authenticates a request of the code hosting product. `Bearer` and `token` carry a token, `Bearer` also the JWT of an app,
 * `Basic` the client id and secret of an app, or a token as one of the two. An unknown scheme counts as no credential.
 *
 * Failed attempts: ten within 15 minutes lock for 5 minutes, ten more for 10, then for 15. An attempt that names an owner locks
 * every credential of that owner, valid ones included, from every address, as the contract says: a revoked token, a forged JWT, a
 * wrong client secret, a login with a password or an unknown token; the owner gets a mail. An attempt that names none locks only
 * further such attempts from its address (IPv6: the /64), with 403 instead of 401. With rate limits off, the locks of owners stand.
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
  const verified = token === undefined ? undefined : await credentials.verifyToken(token, ip, now);
  if (verified && ('actor' in verified || verified.owner !== undefined)) return verified;
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
    const lockout = await countBadCredential(owner, ip, dependencies);
    throw lockout ? lockedOut(lockout) : undecodableJwt();
  }
}

async function assertAccepted(
  lookup: CredentialLookup,
  ip: string,
  dependencies: HostingCredentialDependencies,
): Promise<Actor> {
  if ('actor' in lookup) {
    const lockout = await lockoutOf(dependencies.rateLimiter, lookup.owner);
    if (lockout) throw lockedOut(lockout);
    return lookup.actor;
  }
  const lockout =
    lookup.refused === 'expired'
      ? await lockoutOf(dependencies.rateLimiter, lookup.owner)
      : await countBadCredential(lookup.owner, ip, dependencies);
  throw lockout ? lockedOut(lockout) : badCredentials();
}

/** Counts a failed attempt. Returns the lockout that it meets; its own, the last attempt before a lockout, the owner is told of. */
async function countBadCredential(
  owner: string | undefined,
  ip: string,
  { credentials, rateLimiter }: HostingCredentialDependencies,
): Promise<Lockout | undefined> {
  const { lockout, begins } = await chargeBadCredential(rateLimiter, owner, ip);
  if (begins && owner !== undefined) await credentials.noteLockout(owner, begins.retryAfter);
  return lockout;
}
