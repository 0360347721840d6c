import { createPublicKey, type KeyObject } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import { badCredential } from '../../errors/errors.ts';
import type { AppActor } from '../actor.ts';
import { type AncestorCredential, isLive, selectAncestors } from './stored-token.ts';

/** Clocks of callers may be wrong by so much, in seconds. */
export const clockToleranceSeconds = 60;
/** A token may be good for so long, in seconds. */
const maxLifetimeSeconds = 600;
/** What a token of an app needs fits in a tenth of this. */
const maxJwtLength = 4096;

/** `published`: the sentence is told to callers, who correct their clocks by it. */
const jwtError = (message: string): GraphQLError => badCredential({ reason: 'jwt', published: true }, message);

/** No token of an app, or none that can be believed: bad signature, another algorithm, not a token at all. */
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

/** What is remembered of a token whose signature was right. Its times are looked at in every request. */
export interface VerifiedAppJwt {
  appId: number;
  keyId: number;
  /** The credential that added the key, and those above it. */
  above: AncestorCredential[];
  /** The first moment at which one of those expires, as PostgreSQL prints it; null for ever. */
  until: string | null;
  issuedAt: unknown;
  expiresAt: unknown;
}

/** A token that no app of ours signed. One that names an app counts for that app, not only for where it comes from. */
export class ForgedJwtError extends Error {
  /** Undefined when the token cannot even be read. */
  readonly appId: number | undefined;

  constructor(appId?: number) {
    super('A token was not signed by the app that it names.');
    this.appId = appId;
  }
}

/** Three parts between dots: nothing else of ours looks like that. */
export const looksLikeJwt = (text: string): boolean => /^[\w-]*\.[\w-]*\.[\w-]*$/.test(text);

/**
 * Reads a token that an app signed with one of its keys: RS256 and nothing else. Of the header only `alg` is looked at: a
 * `kid` chooses no key, `jwk`, `jku` and `x5u` bring none; what has a `crit` is refused, for jose
 * knows one extension by itself. The keys are those of the app in
 * `iss` (number or client id), public ones, and never the secret of another algorithm: there is no such key to find.
 * Rejects with 404 for an unknown `iss`, with ForgedJwt for anything that is not signed.
 */
export async function verifyAppJwt(read: Read, text: string, now: Date): Promise<VerifiedAppJwt> {
  if (text.length > maxJwtLength) throw new ForgedJwtError();
  const payload = decodeClaims(text);
  const issuer = parseIssuer(payload.iss);
  if (issuer === undefined) throw integrationNotFound();
  // A key ends with the credential that added it, and all keys with the account that owns the app.
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
    // What cannot be read is told as what cannot be believed.
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

/** The app, if the token is good now. Throws the published sentence for the claim that is not. */
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
