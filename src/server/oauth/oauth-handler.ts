import type { Request, RequestHandler, Response } from 'express';
import type { UserActor } from '../../auth/actor.ts';
import { SignInPage } from '../../pages/hosting/oauth.tsx';
import { methodNotAllowed } from '../only-methods.ts';
import type { PageAdmission } from '../page-admission.ts';
import { pathOf } from '../request-target.ts';
import type { BrowserSessions, SessionOptions } from './browser-session.ts';
import { beginCodeSignIn, codeSignInPage } from './code-sign-in.ts';
import {
  ambiguous,
  bodyOf,
  notice,
  type PageOutcome,
  parseForm,
  queryOf,
  readPageRequest,
  sendPage,
} from './form-page.ts';
import {
  authorizationRequest,
  authorizePage,
  connectionPage,
  devicePage,
  type PageRequest,
  signedInPage,
} from './oauth-pages.ts';
import { deviceEndpoint, tokenEndpoint } from './token-endpoint.ts';

export interface OauthOptions extends SessionOptions {
  pageAdmissions: PageAdmission;
  sessions: BrowserSessions<UserActor>;
}

const pages: ReadonlySet<string> = new Set(['/login', '/login/code', '/login/device', '/login/oauth/authorize']);

type Page = (request: PageRequest) => Promise<PageOutcome>;

/** The pages and endpoints by which users authorize apps. Passes every other request on. */
export function oauthHandler(options: OauthOptions): RequestHandler {
  const { sessions, forms } = options;
  const endpoints = new Map([
    ['/login/oauth/access_token', tokenEndpoint],
    ['/login/device/code', deviceEndpoint],
  ]);

  const show = async (request: Request, response: Response, page: Page): Promise<void> => {
    const read = await readPageRequest(request, response, options);
    if ('refused' in read) return sendPage(response, read.refused);
    const { query, form, session } = read;
    const askForToken = (isRefused: boolean): void =>
      sendPage(response, signIn(request, forms.ofVisit(request, response), isRefused));
    if (form?.action === 'sign-in') {
      if (!(await sessions.signIn(request, response, form.token?.trim() ?? ''))) return askForToken(true);
      return response.redirect(303, request.originalUrl);
    }
    if (form?.action === 'begin-code') return beginCodeSignIn(options, request, response, query);
    if (!session) return askForToken(false);
    if (form?.action === 'sign-out') {
      await sessions.signOut(request, response, session);
      return response.redirect(303, request.originalUrl);
    }
    sendPage(response, await page({ request, response, session, query, form }), { login: session.actor.login });
  };

  const authorize = async (request: Request, response: Response): Promise<void> => {
    const query = queryOf(request);
    const asked = query && (await authorizationRequest(await options.context(request), query));
    // Before anybody signs in: nobody is sent to an address that the app has not registered.
    if (!asked) return sendPage(response, query ? unknownClient : ambiguous);
    return show(request, response, page => authorizePage(page, asked));
  };

  return async (request, response, next) => {
    const path = pathOf(request.originalUrl);
    const { method } = request;
    const endpoint = endpoints.get(path);
    const [, clientId] = /^\/settings\/connections\/applications\/([\w.-]{1,64})$/.exec(path) ?? [];
    const isPage = clientId !== undefined || pages.has(path);
    if (!endpoint && !isPage) return next();
    // The table of the pipeline has the methods of the whole of `/login`.
    if (endpoint && method !== 'POST') throw methodNotAllowed(method, ['POST']);
    await options.pageAdmissions.admit(request, response);
    if (endpoint) {
      await parseForm(request, response);
      const parameters = bodyOf(request);
      if (parameters) await endpoint(options, request, response, parameters);
      else response.status(400).json({ error: 'invalid_request', error_description: 'A parameter is repeated.' });
    } else if (clientId !== undefined) await show(request, response, page => connectionPage(page, clientId));
    else if (path === '/login/code') await codeSignInPage(options, request, response);
    else if (path === '/login') await show(request, response, signedInPage);
    else if (path === '/login/device') await show(request, response, devicePage);
    else await authorize(request, response);
  };
}

const signIn = ({ originalUrl }: Request, formToken: string, isRefused: boolean): PageOutcome => ({
  page: SignInPage({
    hidden: { form_token: formToken },
    problem: isRefused ? 'This token is not valid, or it lacks the scope user.' : undefined,
    grants: !/^\/login(?:\?|$)/.test(originalUrl),
  }),
  status: isRefused ? 422 : 200,
});
const unknownClient = notice(
  'The app cannot be authorized',
  'No app has this client_id, or the redirect_uri is not the one that it registered.',
  404,
);
