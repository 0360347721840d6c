import type { webcrypto } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { EncryptionKeys } from './encryption.ts';

/** The `token_type` claim. A token of one kind is never accepted as the other. */
export type SessionTokenKind = 'access' | 'refresh';

export interface TokenClaims {
  /** The `jti` claim; for a refresh token the primary key of its row. */
  id: string;
  userId: number;
  sessionId: string;
  issuedAt: Date;
  expiresAt: Date;
}

/** The token is invalid. The message is published. */
export class InvalidTokenError extends Error {
  constructor(message: 'Token is invalid' | 'Token is expired' | 'Token has wrong type') {
    super(message);
  }
}

const algorithm = 'HS256';
const audience = 'portico-health';

/** Access tokens whose verification one process caches, about 500 bytes each. */
const maxCachedTokens = 10_000;

/**
 * Signs and verifies the tokens of the health product. Equal claims give equal texts, so that two rotations of one refresh token
 * return the same successor.
 */
export class SessionTokens {
  readonly #keys: readonly Promise<webcrypto.CryptoKey>[];
  /**
   * Verified access tokens → their claims. A client sends one token for 15 minutes, and WebCrypto, which verifies on another
   * thread, took twice as long as the rest of authentication. Expiry and session are not cached: every request checks both.
   */
  readonly #verifiedTokens = new LRUCache<string, TokenClaims>({ max: maxCachedTokens });

  /** The first key signs, and every one verifies. They are imported once, because an import takes as long as a signature. */
  constructor(keys: EncryptionKeys) {
    this.#keys = keys.map(key =>
      crypto.subtle.importKey('raw', new Uint8Array(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']),
    );
  }

  async sign(kind: SessionTokenKind, { id, userId, sessionId, issuedAt, expiresAt }: TokenClaims): Promise<string> {
    return new SignJWT({ token_type: kind, user_id: userId, sid: sessionId })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setJti(id)
      .setAudience(audience)
      .setIssuedAt(Math.floor(issuedAt.getTime() / 1000))
      .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
      .sign(await (this.#keys[0] as Promise<webcrypto.CryptoKey>));
  }

  /** Verifies signature, kind and expiry. @throws InvalidTokenError */
  async verify(kind: SessionTokenKind, text: string, now: Date): Promise<TokenClaims> {
    const known = kind === 'access' ? this.#verifiedTokens.get(text) : undefined;
    if (known && known.expiresAt > now) return known;
    const payload = await this.#verifySignature(text, now);
    const { jti, user_id: userId, sid, iat, exp, token_type: type } = payload;
    if (type !== kind) throw new InvalidTokenError('Token has wrong type');
    if (typeof jti !== 'string' || typeof userId !== 'number' || typeof sid !== 'string' || !iat || !exp) {
      throw new InvalidTokenError('Token is invalid');
    }
    const claims = {
      id: jti,
      userId,
      sessionId: sid,
      issuedAt: new Date(iat * 1000),
      expiresAt: new Date(exp * 1000),
    };
    if (kind === 'access') this.#verifiedTokens.set(text, claims);
    return claims;
  }

  async #verifySignature(text: string, now: Date) {
    for (const key of this.#keys) {
      try {
        const { payload } = await jwtVerify(text, await key, { algorithms: [algorithm], audience, currentDate: now });
        return payload;
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw new InvalidTokenError('Token is expired');
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) break;
      }
    }
    throw new InvalidTokenError('Token is invalid');
  }
}
