import type { Request, Response } from 'express';
import type { UserActor } from '../../auth/actor.ts';
import { findBrowserSignIn, finishBrowserSignIn, startBrowserSignIn } from '../../hosting/oauth/browser-sign-in.ts';
import { ApprovedCodePage, SignInCodePage } from '../../pages/hosting/oauth.tsx';
import { type BrowserSessions, browserSessionMs, type SessionOptions } from './browser-session.ts';
import { localPath, notice, readPageRequest, sendPage } from './form-page.ts';
import { requestCookie } from './request-cookie.ts';
import type { Parameters } from './token-endpoint.ts';
import { withAuthorization } from './with-authorization.ts';

/** Holds the device code, so that no other browser ends the sign-in. */
const cookieName = 'portico_sign_in';
const path = '/login/code';

interface CodeSignInOptions extends SessionOptions {
  sessions: BrowserSessions<UserActor>;
}

/** Begins the sign-in of a browser by a code: the form of each sign-in page. */
export async function beginCodeSignIn(
  options: CodeSignInOptions,
  request: Request,
  response: Response,
  query: Parameters,
): Promise<void> {
  const codes = await startBrowserSignIn(await options.context(withAuthorization(request, undefined)));
  setCookie(options, request, response, codes.device_code, codes.expires_in * 1000);
  const page = localPath(request.originalUrl);
  const returnTo = page?.startsWith('/login?') || page === '/login' ? localPath(query.return_to) : page;
  const address = returnTo === undefined ? path : `${path}?${new URLSearchParams({ return_to: returnTo })}`;
  response.redirect(303, address);
}

/** `/login/code`: shows the code, and signs in once it was typed in another browser. */
export async function codeSignInPage(options: CodeSignInOptions, request: Request, response: Response): Promise<void> {
  const read = await readPageRequest(request, response, options);
  if ('refused' in read) return sendPage(response, read.refused);
  const deviceCode = requestCookie(request, cookieName);
  const context = await options.context(withAuthorization(request, undefined));
  const returnTo = localPath(read.query.return_to);
  if (read.form?.action === 'finish-code') {
    const token = deviceCode && (await finishBrowserSignIn(context, deviceCode, browserSessionMs));
    if (!token || !(await options.sessions.signIn(request, response, token, { isOwn: true })))
      return sendPage(response, over(returnTo));
    setCookie(options, request, response, '', 0);
    return response.redirect(303, returnTo ?? '/login');
  }
  const found = deviceCode === undefined ? null : await findBrowserSignIn(context, deviceCode);
  if (!found) return sendPage(response, over(returnTo));
  if (found.state === 'denied') return sendPage(response, denied(returnTo));
  if (found.state === 'pending') {
    const devicePage = `${options.origin(request)}/login/device`;
    return sendPage(response, { page: SignInCodePage({ userCode: found.userCode, devicePage }), isLive: true });
  }
  const hidden = { form_token: options.forms.ofVisit(request, response) };
  sendPage(response, { page: ApprovedCodePage({ login: found.login, hidden }) });
}

const signInAddress = (returnTo: string | undefined): { href: string; label: string } => ({
  href: returnTo === undefined ? '/login' : `/login?${new URLSearchParams({ return_to: returnTo })}`,
  label: 'To the sign-in page',
});

const over = (returnTo: string | undefined) =>
  notice(
    'There is no code',
    'A code is valid for 15 minutes, for one sign-in and in one browser. Begin again on the sign-in page.',
    404,
    signInAddress(returnTo),
  );

const denied = (returnTo: string | undefined) =>
  notice('You are not signed in', 'The sign-in was declined in the other browser.', 403, signInAddress(returnTo));

function setCookie(
  { origin }: CodeSignInOptions,
  request: Request,
  response: Response,
  value: string,
  maxAgeMs: number,
): void {
  const secure = origin(request).startsWith('https:');
  response.cookie(cookieName, value, { httpOnly: true, sameSite: 'lax', path, maxAge: maxAgeMs, secure });
}
