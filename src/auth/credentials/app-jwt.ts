import { createPublicKey, type KeyObject } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import { badCredential } from '../../errors/errors.ts';
import type { AppActor } from '../actor.ts';
import { type AncestorCredential, isLive, selectAncestors } from './stored-token.ts';

/** Accepted clock skew of callers. */
export const clockToleranceSeconds = 60;
/** Longest lifetime of a JWT, from now to `exp`. */
const maxLifetimeSeconds = 600;
/** Characters. A JWT of an app needs about a tenth of this. */
const maxJwtLength = 4096;

/** `published`: the response contains the message, by which callers correct their clocks. */
const jwtError = (message: string): GraphQLError => badCredential({ reason: 'jwt', published: true }, message);

/** The JWT cannot be decoded, uses another algorithm or has a bad signature. */
export const undecodableJwt = (): GraphQLError => jwtError('A JSON web token could not be decoded');
const integrationNotFound = (): GraphQLError =>
  new GraphQLError('Integration not found', { extensions: { code: 'INTEGRATION_NOT_FOUND', http: { status: 404 } } });
const invalidIssuedAt = (): GraphQLError =>
  jwtError("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued");
const invalidExpiry = (): GraphQLError =>
  jwtError(
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
  );
const expiryTooFarAhead = (): GraphQLError => jwtError("'Expiration time' claim ('exp') is too far in the future");

/** A JWT whose signature was verified, as it is cached. Every request checks `iat` and `exp` again. */
export interface VerifiedAppJwt {
  appId: number;
  keyId: number;
  /** The credential that added the key, and its ancestors. */
  above: AncestorCredential[];
  /** The earliest expiry of those, as PostgreSQL prints a timestamptz; null when none expires. */
  until: string | null;
  issuedAt: unknown;
  expiresAt: unknown;
}

/**
 * A JWT without a valid signature. If it names an app, the failed attempt counts for that app and address, otherwise for the
 * address.
 */
export class ForgedJwtError extends Error {
  /** Undefined when the JWT cannot be decoded. */
  readonly appId: number | undefined;

  constructor(appId?: number) {
    super('A token was not signed by the app that it names.');
    this.appId = appId;
  }
}

/** Whether the text has three base64url parts separated by dots, which no other kind of credential has. */
export const looksLikeJwt = (text: string): boolean => /^[\w-]*\.[\w-]*\.[\w-]*$/.test(text);

/**
 * Verifies a JWT that an app signed with one of its keys. RS256 only. The header is read for `alg` alone: `kid` selects no
 * key, and `jwk`, `jku` and `x5u` supply none. A JWT with `crit` is rejected, because jose supports one extension by itself.
 * The candidate keys are the public keys of the app in `iss` (id or client id), so an algorithm that uses a shared secret
 * finds no key.
 *
 * @throws GraphQLError INTEGRATION_NOT_FOUND (404) for an unknown `iss`
 * @throws ForgedJwtError when no key verifies the signature
 */
export async function verifyAppJwt(read: Read, text: string, now: Date): Promise<VerifiedAppJwt> {
  if (text.length > maxJwtLength) throw new ForgedJwtError();
  const payload = decodeClaims(text);
  const issuer = parseIssuer(payload.iss);
  if (issuer === undefined) throw integrationNotFound();
  // A key is valid as long as the credential that added it is, and no key is while the owner of the app is suspended.
  const found = await read(sql<{
    id: number;
    keyId: number | null;
    publicKey: string;
    above: AncestorCredential[];
    until: string | null;
  }>`
    select a.id, k.id as "keyId", k.public_key as "publicKey", ${selectAncestors(sql`k.added_by_id`, now, 'key')} as above,
      nullif(credential_lasts_until(k.added_by_id), 'infinity') as until
    from app a join account o on o.id = a.owner_id
    left join app_key k on k.app_id = a.id and o.suspended_at is null and ${isLive(sql`k.added_by_id`, now)}
    where ${'id' in issuer ? sql`a.id = ${issuer.id}` : sql`a.client_id = ${issuer.clientId}`} order by k.id`);
  const [app] = found;
  if (!app) throw integrationNotFound();
  for (const { keyId, publicKey, above, until } of found) {
    if (keyId === null || !(await isSignedBy(text, createPublicKey(publicKey)))) continue;
    return { appId: app.id, keyId, above, until, issuedAt: payload.iat, expiresAt: payload.exp };
  }
  throw new ForgedJwtError(app.id);
}

function decodeClaims(text: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const isObject = typeof claims === 'object' && claims !== null && !Array.isArray(claims);
    const { alg, crit } = decodeProtectedHeader(text);
    if (isObject && alg === 'RS256' && crit === undefined) return claims as Record<string, unknown>;
  } catch {
    // Undecodable and unsigned JWTs get the same answer.
  }
  throw new ForgedJwtError();
}

function parseIssuer(iss: unknown): { id: number } | { clientId: string } | undefined {
  const id = typeof iss === 'string' && /^\d{1,15}$/.test(iss) ? Number(iss) : iss;
  if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0 ? { id } : undefined;
  return typeof iss === 'string' && /^[\w.-]{1,64}$/.test(iss) ? { clientId: iss } : undefined;
}

async function isSignedBy(text: string, key: KeyObject): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: ['RS256'] });
    return true;
  } catch {
    return false;
  }
}

/** Checks the times of a verified JWT and returns the app. Throws the published message of the claim that fails (401). */
export function appActor(
  { appId, keyId, until, issuedAt, expiresAt }: Omit<VerifiedAppJwt, 'above'>,
  ip: string,
  now: Date,
): AppActor {
  const seconds = now.getTime() / 1000;
  if (!Number.isInteger(issuedAt) || (issuedAt as number) > seconds + clockToleranceSeconds) throw invalidIssuedAt();
  if (typeof expiresAt !== 'number' || !Number.isFinite(expiresAt) || expiresAt <= seconds - clockToleranceSeconds) {
    throw invalidExpiry();
  }
  if (expiresAt > seconds + maxLifetimeSeconds + clockToleranceSeconds) throw expiryTooFarAhead();
  if (until !== null && Date.parse(until) <= now.getTime()) throw undecodableJwt();
  return { kind: 'app', ip, appId, keyId, expiresAt: until };
}
