import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Actor } from '../../auth/actor.ts';
import { DecryptionError, decrypt, encrypt } from '../../auth/encryption.ts';
import type { Context } from '../../context/context.ts';
import type { FormTokens } from './form-tokens.ts';
import { requestCookie } from './request-cookie.ts';
import { withAuthorization } from './with-authorization.ts';

/** In milliseconds. */
export const browserSessionMs = 8 * 60 * 60_000;

/** A browser that is signed in. */
export interface BrowserSession<A extends Actor> {
  context: Context;
  actor: A;
  /** Proves that a form was made for this session. */
  formToken: string;
  /** Whether its token was made for it, and ends by signing out. */
  isOwn: boolean;
}

export interface SessionOptions {
  keys: Context['keys'];
  forms: FormTokens;
  now(): Date;
  origin(request: Request): string;
  context(request: Request): Promise<Context>;
}

/** The sessions of one product: a browser can have one of each. */
export interface SessionKind<A extends Actor> {
  cookieName: string;
  /** What its cookies are encrypted for. */
  purpose: string;
  isToken(text: string): boolean;
  /** The actor of a credential that may open a session; undefined for any other. */
  actorOf(context: Context): A | undefined;
}

/**
 * Sessions of browsers. The cookie holds an encrypted token of the user, which is authenticated by each request: the session ends
 * with the token, and the database stores nothing. Pages read it, and no API does.
 */
export class BrowserSessions<A extends Actor> {
  readonly #options: SessionOptions;
  readonly #kind: SessionKind<A>;
  /** Deletes a session that has ended, so that its token is not tried again by each page. */
  readonly endedCookie: string;

  constructor(options: SessionOptions, kind: SessionKind<A>) {
    this.#options = options;
    this.#kind = kind;
    this.endedCookie = `${kind.cookieName}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`;
  }

  /** Whether a browser sent a session, valid or not. */
  isSent(request: IncomingMessage): boolean {
    return requestCookie(request, this.#kind.cookieName) !== undefined;
  }

  async find(request: Request): Promise<BrowserSession<A> | undefined> {
    const cookie = requestCookie(request, this.#kind.cookieName);
    const stored = cookie && this.#open(cookie);
    if (!cookie || !stored || stored.until <= this.#options.now().getTime()) return undefined;
    const context = await this.#authenticated(request, stored.token);
    const actor = context && this.#kind.actorOf(context);
    return actor && { context, actor, isOwn: stored.isOwn === true, formToken: this.#options.forms.ofSession(cookie) };
  }

  /** Signs a browser in. Returns whether the token may open a session. @param isOwn whether the token was made for it */
  async signIn(request: Request, response: Response, token: string, { isOwn = false } = {}): Promise<boolean> {
    const context = this.#kind.isToken(token) ? await this.#authenticated(request, token) : undefined;
    if (!context || !this.#kind.actorOf(context)) return false;
    const until = this.#options.now().getTime() + browserSessionMs;
    const session = JSON.stringify({ token, until, isOwn });
    this.#setCookie(request, response, this.#encrypted(session, this.#kind.purpose), browserSessionMs);
    return true;
  }

  signOut(request: Request, response: Response): void {
    this.#setCookie(request, response, '', 0);
  }

  /** Whether a form of this session sent the request. */
  isFormOf(request: Request, formToken: string | undefined): boolean {
    return this.#options.forms.isOfSession(requestCookie(request, this.#kind.cookieName), formToken);
  }

  #authenticated(request: Request, token: string): Promise<Context> {
    return this.#options.context(withAuthorization(request, `Bearer ${token}`));
  }

  #open(cookie: string): { token: string; until: number; isOwn?: boolean } | undefined {
    const text = this.#decrypted(cookie, this.#kind.purpose);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #encrypted(text: string, purpose: string): string {
    return encrypt(this.#options.keys.encryption, text, purpose);
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
    response.cookie(this.#kind.cookieName, value, {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      maxAge: maxAgeMs,
      secure,
    });
  }
}
