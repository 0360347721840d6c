import express, { type Request, type RequestHandler, type Response } from 'express';
import type { JSX } from 'preact';
import { documentOf } from '../../pages/document.tsx';
import { NoticePage } from '../../pages/hosting/oauth.tsx';
import type { Visitor } from '../../pages/visitor.ts';
import { pathOf } from '../request-target.ts';
import type { Parameters } from './token-endpoint.ts';

/** Longest body, in bytes. The limit of Node.js for headers bounds the query. */
const maxBytes = 16 * 1024;

const parsers: readonly RequestHandler[] = [
  express.urlencoded({ extended: false, limit: maxBytes }),
  express.json({ limit: maxBytes, type: 'application/json' }),
];

/** A page: what is shown, with which status; or the address that follows. */
export type PageOutcome =
  | { page: JSX.Element; status?: number; formTarget?: string | undefined }
  | { redirectTo: string };

export const notice = (title: string, text: string, status = 200): PageOutcome => ({
  page: NoticePage({ title, text }),
  status,
});

/** A form or a query that cannot be read. */
export const ambiguous = notice('The request cannot be served', 'A parameter is repeated, or is no text.', 400);
/** A form of another site, or of another session. */
export const foreign = notice('The form is not valid', 'It was made for another session. Load the page again.', 403);

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
export const isSameOrigin = ({ headers: { origin } }: Request, own: string): boolean =>
  origin === undefined || origin === own;

/** Answers with a page, or with the address that follows. */
export function sendPage(response: Response, outcome: PageOutcome, visitor: Visitor = {}): void {
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' });
  if ('redirectTo' in outcome) {
    response.redirect(302, outcome.redirectTo);
    return;
  }
  const target = outcome.formTarget === undefined ? '' : ` ${outcome.formTarget}`;
  response
    .status(outcome.status ?? 200)
    .set(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'${target}; base-uri 'none'; frame-ancestors 'none'`,
    )
    .type('html')
    .send(documentOf(outcome.page, visitor));
}
