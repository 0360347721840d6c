import type { Request, RequestHandler, Response } from 'express';
import { GraphQLError } from 'graphql';
import type { SessionTokens } from '../../auth/session-tokens.ts';
import { logIn } from '../../health/accounts/log-in.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import { HealthSignedInPage, HealthSignInPage } from '../../pages/health/sign-in.tsx';
import { chargePageLogin } from '../health-charges.ts';
import type { PageAdmission } from '../page-admission.ts';
import { type BrowserSession, type BrowserSessions, browserSessionMs, type SessionOptions } from './browser-session.ts';
import { localPath, readPageRequest, sendPage } from './form-page.ts';
import type { PersonActor } from './session-kinds.ts';
import type { Parameters } from './token-endpoint.ts';
import { withAuthorization } from './with-authorization.ts';

export interface HealthSignInOptions extends SessionOptions {
  pageAdmissions: PageAdmission;
  healthBrowsers: BrowserSessions<PersonActor>;
  tokens: SessionTokens;
  rateLimiter: RateLimiter;
}

/**
 * `/login/health`: signs a browser in with the e-mail address and the password of a health account, by the login of the API and within
 * its limits, and signs it out.
 */
export function healthSignIn(options: HealthSignInOptions): RequestHandler {
  const { healthBrowsers: browsers, forms, origin, rateLimiter } = options;

  const ask = (request: Request, response: Response, email = '', refused?: Refusal): void => {
    if (refused?.retryAfter !== undefined) response.set('Retry-After', String(refused.retryAfter));
    const hidden = { form_token: forms.ofVisit(request, response) };
    const page = HealthSignInPage({ hidden, email, problem: refused?.text });
    sendPage(response, { page, status: refused?.status ?? 200 });
  };

  const signIn = async (request: Request, response: Response, form: Parameters): Promise<void> => {
    try {
      if (!rateLimiter.isOff) await chargePageLogin(rateLimiter, request);
      const token = await openSession(options, request, form);
      await browsers.signIn(request, response, token);
    } catch (error) {
      return ask(request, response, form.email, refusalOf(error));
    }
    response.redirect(303, request.originalUrl);
  };

  const signOut = async (request: Request, response: Response, session: BrowserSession<PersonActor>): Promise<void> => {
    await browsers.signOut(request, response, session);
    response.redirect(303, '/login/health');
  };

  return async (request, response) => {
    await options.pageAdmissions.admit(request, response);
    const read = await readPageRequest(request, response, { sessions: browsers, forms, origin, product: 'health' });
    if ('refused' in read) return sendPage(response, read.refused);
    const { query, form, session } = read;
    if (form?.action === 'sign-in') return signIn(request, response, form);
    if (!session) return ask(request, response);
    if (form?.action === 'sign-out') return signOut(request, response, session);
    const returnTo = localPath(query.return_to);
    if (returnTo !== undefined) return sendPage(response, { redirectTo: returnTo });
    const page = HealthSignedInPage({ hidden: { form_token: session.formToken } });
    sendPage(response, { page }, { product: 'health', isPerson: true });
  };
}

/** Opens a session, and returns an access token for it that is valid as long as the session of the browser. */
async function openSession(
  { context, tokens, now }: HealthSignInOptions,
  request: Request,
  { email = '', password = '' }: Parameters,
): Promise<string> {
  // The credentials are those of the form.
  const anonymous = await context(withAuthorization(request, undefined));
  const { accessToken } = await logIn(anonymous, { email, password });
  const claims = await tokens.verify('access', accessToken, now());
  return tokens.sign('access', { ...claims, expiresAt: new Date(claims.issuedAt.getTime() + browserSessionMs) });
}

interface Refusal {
  text: string;
  status: number;
  /** In seconds. */
  retryAfter?: number;
}

/** What a refused login tells the person. @throws the error if it is none of a login */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof GraphQLError)) throw error;
  const { code, reason, retryAfter } = error.extensions;
  if (code === 'THROTTLED') {
    const seconds = Number(retryAfter);
    return { text: `Too many attempts. Try again in ${seconds} seconds.`, status: 429, retryAfter: seconds };
  }
  if (code !== 'BAD_CREDENTIAL') throw error;
  if (reason === 'account_not_activated')
    return { text: 'The account is not active yet. Open the link in the mail that you got.', status: 422 };
  if (reason === 'account_suspended') return { text: error.message, status: 422 };
  return { text: 'There is no active account with this e-mail address and password.', status: 422 };
}
