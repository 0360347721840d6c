import type { webcrypto } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

/** What a token is for. One kind is never taken for the other. */
export type SessionTokenKind = 'access' | 'refresh';

export interface TokenClaims {
  /** The token's own identifier; of a refresh token the key of its row. */
  id: string;
  userId: number;
  sessionId: string;
  issuedAt: Date;
  expiresAt: Date;
}

/** Why a token is not believed, in the published words. */
export class InvalidTokenError extends Error {
  constructor(message: 'Token is invalid' | 'Token is expired' | 'Token has wrong type') {
    super(message);
  }
}

const algorithm = 'HS256';
const audience = 'portico-health';

/** Access tokens whose signature one process remembers: some 500 bytes each. */
const maxCachedTokens = 10_000;

/**
 * Signs and reads the tokens of the health product. The same claims make the same text: that is how a refresh token which
 * is asked for twice is answered twice with the same successor.
 */
export class SessionTokens {
  readonly #key: Promise<webcrypto.CryptoKey>;
  /**
   * Text of an access token → its claims, the signature having been checked. A client sends one token for 15 minutes, and the
   * signature, which WebCrypto checks on another thread, cost twice as much as all else that finds out who is asking.
   * Neither time nor session is remembered: both are looked at in every request.
   */
  readonly #verifiedTokens = new LRUCache<string, TokenClaims>({ max: maxCachedTokens });

  /** `key`: 32 bytes. Imported once: importing it for each token costs as much as the signature. */
  constructor(key: Uint8Array) {
    this.#key = crypto.subtle.importKey('raw', new Uint8Array(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
      'verify',
    ]);
  }

  async sign(kind: SessionTokenKind, { id, userId, sessionId, issuedAt, expiresAt }: TokenClaims): Promise<string> {
    return new SignJWT({ token_type: kind, user_id: userId, sid: sessionId })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setJti(id)
      .setAudience(audience)
      .setIssuedAt(Math.floor(issuedAt.getTime() / 1000))
      .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
      .sign(await this.#key);
  }

  /** The claims of a token that is signed by this installation, of this kind and not expired. Throws TokenRefused. */
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
    try {
      const { payload } = await jwtVerify(text, await this.#key, {
        algorithms: [algorithm],
        audience,
        currentDate: now,
      });
      return payload;
    } catch (error) {
      throw new InvalidTokenError(error instanceof errors.JWTExpired ? 'Token is expired' : 'Token is invalid');
    }
  }
}
