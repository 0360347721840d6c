import express, { type Request, type RequestHandler, type Response } from 'express';
import { JsonRefusedError, parseJson } from 'operation-rest';
import type { JSX } from 'preact';
import type { Actor } from '../../auth/actor.ts';
import { contentSecurityPolicy } from '../../pages/content-security-policy.ts';
import { documentOf } from '../../pages/document.tsx';
import { type NextStep, NoticePage } from '../../pages/hosting/oauth.tsx';
import { liveHeaders } from '../../pages/live.tsx';
import { signInPath, type Visitor } from '../../pages/visitor.ts';
import { pathOf } from '../request-target.ts';
import type { BrowserSession, BrowserSessions } from './browser-session.ts';
import type { FormTokens } from './form-tokens.ts';
import type { Parameters } from './token-endpoint.ts';

/** Longest body, in bytes. The limit of Node.js for headers bounds the query. */
const maxBytes = 16 * 1024;

const parsers: readonly RequestHandler[] = [
  express.urlencoded({ extended: false, limit: maxBytes }),
  express.raw({ limit: maxBytes, type: 'application/json' }),
];

/** A page: what is shown, with which status; or the address that follows. */
export type PageOutcome =
  | {
      page: JSX.Element;
      status?: number;
      /** Origin that its form leads to. */
      formTarget?: string;
      /** Whether it has a part that is kept up to date. */
      isLive?: boolean;
    }
  | { redirectTo: string };

/** A page that says what happened, and what to do next: by default it links the start page. */
export const notice = (title: string, text: string, status = 200, next?: NextStep): PageOutcome => ({
  page: NoticePage({ title, text, next }),
  status,
});

/** A form or a query that cannot be read. */
export const ambiguous = notice(
  'The request cannot be served',
  'A parameter is repeated, or is no text. Go back, and send the form again.',
  400,
);

/** A request for a page, as `readPageRequest` admits it. */
export interface ReadRequest<A extends Actor> {
  query: Parameters;
  /** Undefined where no form was sent. */
  form: Parameters | undefined;
  /** Undefined where the browser is not signed in; of a form that signs in as well. */
  session: BrowserSession<A> | undefined;
}

export interface FormRules<A extends Actor> {
  sessions: BrowserSessions<A>;
  forms: FormTokens;
  origin(request: Request): string;
  product?: Visitor['product'] & string;
}

/** Forms of browsers that have no session yet, by their `action`. */
const signInActions: ReadonlySet<string | undefined> = new Set(['sign-in', 'begin-code', 'finish-code']);

/**
 * Reads the query, the session and the form of a request for a page. This is the only way to a form: it is refused unless this
 * server made it for this browser, and a form that does not sign in also unless the browser is signed in.
 *
 * @throws an error with a status for a body that is too long or no form
 */
export async function readPageRequest<A extends Actor>(
  request: Request,
  response: Response,
  { sessions, forms, origin, product }: FormRules<A>,
): Promise<ReadRequest<A> | { refused: PageOutcome }> {
  const isForm = request.method === 'POST';
  if (isForm) await parseForm(request, response);
  const query = queryOf(request);
  const form = isForm ? bodyOf(request) : undefined;
  if (!query || (isForm && !form)) return { refused: ambiguous };
  // Where the form is: its own address, unless it says another.
  const path = localPath(form?.return_to) ?? localPath(request.originalUrl) ?? '/';
  if (form && !isSameOrigin(request, origin(request))) return { refused: foreign(path) };
  if (form && signInActions.has(form.action)) {
    return forms.isOfVisit(request, form.form_token) ? { query, form, session: undefined } : { refused: foreign(path) };
  }
  const session = await sessions.find(request);
  if (form && !session) return { refused: signedOut({ path, ...(product ? { product } : {}) }) };
  if (form && !sessions.isFormOf(request, form.form_token)) return { refused: foreign(path) };
  return { query, form, session };
}

/** A form of another site, of another session, or of a browser without cookies. */
const foreign = (path: string): PageOutcome =>
  notice(
    'The form is not valid',
    'It was made for another session, or this browser keeps no cookies for this site. Nothing was changed. Load the page again, and send its form.',
    403,
    { href: path, label: 'Load the page again' },
  );

const signedOut = (visitor: Visitor): PageOutcome =>
  notice(
    'You are not signed in',
    'Your session has ended. Nothing was changed. Sign in, and send the form again.',
    401,
    { href: signInPath(visitor), label: 'Sign in' },
  );

/** The path of a URL without an origin; undefined for any other text. */
export function localPath(text: string | undefined): string | undefined {
  const base = 'http://page.invalid';
  if (!text?.startsWith('/') || !URL.canParse(text, base)) return undefined;
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : undefined;
}

/** Reads the body of a form. @throws an error with a status for one that is too long or no form */
export async function parseForm(request: Request, response: Response): Promise<void> {
  for (const parser of parsers) {
    await new Promise<void>((resolve, reject) => {
      parser(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
    });
  }
  if (Buffer.isBuffer(request.body)) request.body = await readJson(request.body);
}

/** @throws an error with the status 400, also for an object that has a key twice */
async function readJson(bytes: Buffer): Promise<unknown> {
  try {
    const body = await parseJson(bytes.toString('utf8'));
    if (typeof body === 'object' && body !== null) return body;
  } catch (error) {
    if (!(error instanceof JsonRefusedError)) throw error;
  }
  throw Object.assign(new Error('The body is no JSON object.'), { status: 400 });
}

/** Parameters of the query: all that follows the first question mark, others included. */
export function queryOf({ originalUrl }: Request): Parameters | undefined {
  return parametersOf([...new URLSearchParams(originalUrl.slice(pathOf(originalUrl).length))]);
}

/** Parameters of a parsed body. */
export const bodyOf = ({ body }: Request): Parameters | undefined => parametersOf(Object.entries(body ?? {}));

/** Undefined where a parameter is repeated or is no text (RFC 6749, section 3.1). */
function parametersOf(entries: readonly [string, unknown][]): Parameters | undefined {
  const parameters: Record<string, string> = Object.create(null);
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || value.includes('\0') || name in parameters) return undefined;
    if (value !== '') parameters[name] = value;
  }
  return parameters;
}

/** Browsers state the origin of each form. A client that states none is no browser, and has no cookie of one. */
const isSameOrigin = ({ headers: { origin } }: Request, own: string): boolean => origin === undefined || origin === own;

/** Answers with a page, or with the address that follows. */
export function sendPage(response: Response, outcome: PageOutcome, visitor: Visitor = {}): void {
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' });
  if ('redirectTo' in outcome) {
    response.redirect(302, outcome.redirectTo);
    return;
  }
  const { formTarget, isLive = false } = outcome;
  const policy =
    formTarget === undefined
      ? contentSecurityPolicy
      : contentSecurityPolicy.replace("form-action 'self'", `form-action 'self' ${formTarget}`);
  response
    .status(outcome.status ?? 200)
    .set({ 'Content-Security-Policy': policy, ...liveHeaders(isLive) })
    .type('html')
    .send(documentOf(outcome.page, visitor));
}
