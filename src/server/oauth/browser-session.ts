import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { DecryptionError, decrypt, encrypt } from '../../auth/encryption.ts';
import { hashToken, parseTokenKind } from '../../auth/hosting-token.ts';
import type { Context } from '../../context/context.ts';
import { assertMayAuthorize } from '../../hosting/oauth/approve.ts';
import { withAuthorization } from './with-authorization.ts';

const cookieName = 'portico_session';
const cookiePattern = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w.-]+)`);
/** In milliseconds. */
const lifetimeMs = 8 * 60 * 60_000;
/** Deletes a session that has ended, so that its token is not tried again by each page. */
export const endedCookie = `${cookieName}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`;
const purposes = { cookie: 'browser session', form: 'form of a browser session' } as const;

/** A browser that is signed in. */
export interface BrowserSession {
  context: Context;
  login: string;
  /** Proves that a form was made for this session. */
  formToken: string;
}

export interface SessionOptions {
  keys: Context['keys'];
  now(): Date;
  origin(request: Request): string;
  context(request: Request): Promise<Context>;
}

/**
 * Sessions of browsers. The cookie holds the encrypted token that the user pasted, which is authenticated by each request: the
 * session ends with the token, and the database stores nothing. Pages read it, and no API does.
 */
export class BrowserSessions {
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  async find(request: Request): Promise<BrowserSession | undefined> {
    const cookie = cookieOf(request);
    const stored = cookie && this.#open(cookie);
    if (!cookie || !stored || stored.until <= this.#options.now().getTime()) return undefined;
    const context = await this.#authenticated(request, stored.token);
    if (context?.actor.kind !== 'user') return undefined;
    const { login } = context.actor;
    return { context, login, formToken: encrypt(this.#options.keys.encryption, hashToken(cookie), purposes.form) };
  }

  /** Signs a browser in. Returns whether the token may authorize apps. */
  async signIn(request: Request, response: Response, token: string): Promise<boolean> {
    const context = parseTokenKind(token) === undefined ? undefined : await this.#authenticated(request, token);
    if (!context) return false;
    const until = this.#options.now().getTime() + lifetimeMs;
    this.#setCookie(
      request,
      response,
      encrypt(this.#options.keys.encryption, JSON.stringify({ token, until }), purposes.cookie),
      lifetimeMs,
    );
    return true;
  }

  signOut(request: Request, response: Response): void {
    this.#setCookie(request, response, '', 0);
  }

  /** Whether a form of this session sent the request (CSRF): no other site knows the token of the form. */
  isFormOf(request: Request, formToken: string | undefined): boolean {
    const cookie = cookieOf(request);
    if (!cookie || formToken === undefined) return false;
    return this.#decrypted(formToken, purposes.form) === hashToken(cookie);
  }

  /** A context with the authority of a token that may authorize apps; undefined for any other. */
  async #authenticated(request: Request, token: string): Promise<Context | undefined> {
    const context = await this.#options.context(withAuthorization(request, `Bearer ${token}`));
    try {
      assertMayAuthorize(context);
      return context;
    } catch {
      return undefined;
    }
  }

  #open(cookie: string): { token: string; until: number } | undefined {
    const text = this.#decrypted(cookie, purposes.cookie);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #decrypted(value: string, purpose: string): string | undefined {
    try {
      return decrypt(this.#options.keys.encryption, value, purpose);
    } catch (error) {
      if (error instanceof DecryptionError) return undefined;
      throw error;
    }
  }

  #setCookie(request: Request, response: Response, value: string, maxAgeMs: number): void {
    const secure = this.#options.origin(request).startsWith('https:');
    response.cookie(cookieName, value, { httpOnly: true, sameSite: 'lax', path: '/', maxAge: maxAgeMs, secure });
  }
}

/** Whether a browser sent a session, valid or not. */
export const hasSession = (request: IncomingMessage): boolean => cookieOf(request) !== undefined;

function cookieOf({ headers: { cookie = '' } }: IncomingMessage): string | undefined {
  const [, value] = cookiePattern.exec(cookie) ?? [];
  return value;
}
