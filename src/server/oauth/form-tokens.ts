import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { DecryptionError, decrypt, encrypt } from '../../auth/encryption.ts';
import { hashToken } from '../../auth/hosting-token.ts';
import type { Context } from '../../context/context.ts';
import { requestCookie } from './request-cookie.ts';

/** Of a browser that was sent a form while it had no session. */
const visitCookieName = 'portico_visit';
const purpose = 'form of a page';

interface FormTokenOptions {
  keys: Context['keys'];
  origin(request: Request): string;
}

/**
 * Tokens that bind the forms of pages to the browser that they were made for (CSRF, login CSRF included): a form is good together with
 * the cookie of a session, or, where there is none yet, with the cookie of the visit. No other site knows either, and a token that
 * an attacker got for a cookie of their own is good with no session.
 */
export class FormTokens {
  readonly #options: FormTokenOptions;

  constructor(options: FormTokenOptions) {
    this.#options = options;
  }

  /** The token of forms of the session with this cookie. */
  ofSession(cookie: string): string {
    return encrypt(this.#options.keys.encryption, hashToken(cookie), purpose);
  }

  isOfSession(cookie: string | undefined, token: string | undefined): boolean {
    return cookie !== undefined && token !== undefined && this.#decrypted(token) === hashToken(cookie);
  }

  /** The token of a form that signs in. Sets the cookie of the visit where the browser has none. */
  ofVisit(request: Request, response: Response): string {
    const sent = requestCookie(request, visitCookieName);
    const visit = sent ?? randomBytes(24).toString('base64url');
    if (sent === undefined) {
      const secure = this.#options.origin(request).startsWith('https:');
      // Lax: an app sends its user to the authorization page, which may be the first one of the visit.
      response.cookie(visitCookieName, visit, { httpOnly: true, sameSite: 'lax', path: '/', secure });
    }
    return this.ofSession(visit);
  }

  isOfVisit(request: Request, token: string | undefined): boolean {
    return this.isOfSession(requestCookie(request, visitCookieName), token);
  }

  #decrypted(token: string): string | undefined {
    try {
      return decrypt(this.#options.keys.encryption, token, purpose);
    } catch (error) {
      if (error instanceof DecryptionError) return undefined;
      throw error;
    }
  }
}
