import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { sql } from 'kysely';
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
  /** Key of its row (`browser_session`); undefined where the token names a session of its own. */
  id: string | undefined;
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
  /** Ends what was made for the session alone. */
  end(session: BrowserSession<A>): Promise<void>;
}

/** What a cookie holds. */
interface CookieContent {
  token: string;
  /** Milliseconds since 1970. */
  until: number;
  isOwn: boolean;
  /** Key of its row; undefined where the token names a session of its own. */
  id?: string;
}

/**
 * Sessions of browsers. The cookie holds an encrypted token of the user, which is authenticated by each request, and the key of a row
 * that ends by signing out, so that no copy of the cookie outlives either. A token of the health product names its own session, which
 * has that purpose. Pages read the cookie, and no API does.
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
    if (!actor || !(await this.#isOpen(context, actor, stored.id))) return undefined;
    const { isOwn, id } = stored;
    return { context, actor, isOwn, id, formToken: this.#options.forms.ofSession(cookie) };
  }

  /**
   * Signs a browser in, which ends the session that it had. Returns whether the token may open a session.
   * @param isOwn whether the token was made for it
   */
  async signIn(request: Request, response: Response, token: string, { isOwn = false } = {}): Promise<boolean> {
    const context = this.#kind.isToken(token) ? await this.#authenticated(request, token) : undefined;
    const actor = context && this.#kind.actorOf(context);
    if (!actor) return false;
    const before = await this.find(request);
    // Its own token may be the parent of the new one, and stays valid: only its cookie, which no longer opens a session, had it.
    if (before) await this.#end({ ...before, isOwn: false });
    const now = this.#options.now();
    const until = now.getTime() + browserSessionMs;
    const id = await record(context, actor, now);
    const content: CookieContent = { token, until, isOwn, ...(id === undefined ? {} : { id }) };
    this.#setCookie(request, response, this.#encrypted(JSON.stringify(content), this.#kind.purpose), browserSessionMs);
    return true;
  }

  /** Signs a browser out. From then on no copy of its cookie is a session. */
  async signOut(request: Request, response: Response, session: BrowserSession<A>): Promise<void> {
    await this.#end(session);
    this.#setCookie(request, response, '', 0);
  }

  /** Whether a form of this session sent the request. */
  isFormOf(request: Request, formToken: string | undefined): boolean {
    return this.#options.forms.isOfSession(requestCookie(request, this.#kind.cookieName), formToken);
  }

  async #end(session: BrowserSession<A>): Promise<void> {
    const { id, context } = session;
    await this.#kind.end(session);
    if (id === undefined) return;
    const now = this.#options.now();
    await context.transaction(db =>
      sql`update browser_session set ended_at = ${now} where id = ${id} and ended_at is null`.execute(db),
    );
    context.credentials.invalidate();
  }

  /** A cookie without a row is none where sessions have rows. */
  async #isOpen(context: Context, actor: Actor, id: string | undefined): Promise<boolean> {
    if (id === undefined) return credentialOf(actor) === undefined;
    return context.credentials.isSessionOpen(id, this.#options.now());
  }

  #authenticated(request: Request, token: string): Promise<Context> {
    return this.#options.context(withAuthorization(request, `Bearer ${token}`));
  }

  #open(cookie: string): CookieContent | undefined {
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

const credentialOf = (actor: Actor): number | undefined => ('credential' in actor ? actor.credential.id : undefined);

/** Inserts the row of a session. Returns its key; undefined where the token names a session of its own. */
async function record(context: Context, actor: Actor, now: Date): Promise<string | undefined> {
  const credentialId = credentialOf(actor);
  if (credentialId === undefined) return undefined;
  const id = randomUUID();
  const expiresAt = new Date(now.getTime() + browserSessionMs);
  await context.transaction(db =>
    sql`insert into browser_session (id, credential_id, created_at, expires_at)
      values (${id}, ${credentialId}, ${now}, ${expiresAt})`.execute(db),
  );
  return id;
}
