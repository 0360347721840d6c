import type { Request, Response } from 'express';
import { GraphQLError } from 'graphql';
import type { UserActor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import { approveCode, connectionOf, endConnection } from '../../hosting/oauth/approve.ts';
import { type DeviceRequest, decideDevice, findDeviceRequest } from '../../hosting/oauth/device-flow.ts';
import { findOauthClient, type OauthClient, redirectUriOf, requestedScopes } from '../../hosting/oauth/oauth-client.ts';
import {
  BrowserConsentPage,
  ConnectionPage,
  ConsentPage,
  DevicePage,
  SignedInPage,
} from '../../pages/hosting/oauth.tsx';
import type { BrowserSession } from './browser-session.ts';
import { localPath, notice, type PageOutcome } from './form-page.ts';
import type { Parameters } from './token-endpoint.ts';

/** A request of a browser that is signed in. */
export interface PageRequest {
  request: Request;
  response: Response;
  session: BrowserSession<UserActor>;
  query: Parameters;
  /** Fields of a form of this session; undefined where none was sent. */
  form: Parameters | undefined;
}

const appProps = ({ name, url, ownerLogin, appId }: OauthClient, scopes: readonly string[]) => ({
  name,
  url,
  ownerLogin,
  scopes,
  hasPermissions: appId !== null,
});

/** A request of the web flow whose client and address to return to are good. */
export interface AuthorizationRequest {
  client: OauthClient;
  redirectUri: string;
  /** The address with an answer in its query. */
  answer(parameters: Record<string, string | undefined>): string;
}

/** Undefined where the user must not be sent to the address. */
export async function authorizationRequest(
  context: Pick<Context, 'read'>,
  query: Parameters,
): Promise<AuthorizationRequest | undefined> {
  const client = await findOauthClient(context, query.client_id ?? '');
  if (!client) return undefined;
  const redirectUri = redirectUriOf(client, query.redirect_uri);
  if (redirectUri === undefined) return undefined;
  const answer: AuthorizationRequest['answer'] = parameters => {
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries({ ...parameters, state: query.state })) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url.href;
  };
  return { client, redirectUri, answer };
}

/** `/login/oauth/authorize` of a browser that is signed in. */
export async function authorizePage(
  { session, query, form }: PageRequest,
  { client, redirectUri, answer }: AuthorizationRequest,
): Promise<PageOutcome> {
  const scopes = requestedScopes(client, query.scope);
  if (!scopes) return { redirectTo: answer({ error: 'invalid_scope', error_description: 'A scope is unknown.' }) };
  if ((query.response_type ?? 'code') !== 'code') return { redirectTo: answer({ error: 'unsupported_response_type' }) };
  const { code_challenge: codeChallenge, code_challenge_method: method } = query;
  const isChallengeGood = codeChallenge === undefined || (method === 'S256' && /^[\w-]{43}$/.test(codeChallenge));
  if (!isChallengeGood || (codeChallenge === undefined && method !== undefined)) {
    const description = 'code_challenge must be 43 characters with code_challenge_method=S256.';
    return { redirectTo: answer({ error: 'invalid_request', error_description: description }) };
  }
  if (client.isPublic && codeChallenge === undefined) {
    const description = 'A public client needs a code_challenge with code_challenge_method=S256.';
    return { redirectTo: answer({ error: 'invalid_request', error_description: description }) };
  }
  if (form?.action === 'deny') {
    return {
      redirectTo: answer({ error: 'access_denied', error_description: 'The user has denied your application access.' }),
    };
  }
  if (form?.action === 'authorize') {
    const code = await orRefused(() => approveCode(session.context, client, { scopes, redirectUri, codeChallenge }));
    return code === undefined ? tooLittle : { redirectTo: answer({ code }) };
  }
  const { formToken } = session;
  const { login } = session.actor;
  const hidden = { form_token: formToken };
  const page = ConsentPage({ app: appProps(client, scopes), login, hidden, returnTo: redirectUri });
  // The policy also covers the address that the form redirects to.
  return { page, formTarget: new URL(redirectUri).origin };
}

const tooLittle = notice(
  'The token may not grant this',
  'The token that you signed in with lacks a scope that the app asks for. Sign in with one that has it.',
  403,
);

async function orRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

/**
 * `/login` of a browser that is signed in. Returns to the page that it came from, `return_to`, if that is one of this server: any
 * other site could send people through it.
 */
export async function signedInPage({ session, query, form }: PageRequest): Promise<PageOutcome> {
  const returnTo = form ? undefined : localPath(query.return_to);
  if (returnTo !== undefined) return { redirectTo: returnTo };
  return { page: SignedInPage({ login: session.actor.login, hidden: { form_token: session.formToken } }) };
}

/** `/login/device` of a browser that is signed in. */
export async function devicePage({ session, query, form }: PageRequest): Promise<PageOutcome> {
  const { formToken, context } = session;
  const { login } = session.actor;
  const hidden = { form_token: formToken };
  const ask = (problem?: string): PageOutcome => ({
    page: DevicePage({ login, hidden, userCode: form?.user_code ?? query.user_code ?? '', problem }),
  });
  if (!form) return ask();
  const wanted = await findDeviceRequest(context, form.user_code ?? '');
  if (!wanted) return ask('There is no such code, or it has expired.');
  if (form.action === 'authorize' || form.action === 'deny') return decide(session, wanted, form.action);
  const fields = { ...hidden, user_code: form.user_code ?? '' };
  const { client, scopes } = wanted;
  if (!client) return { page: BrowserConsentPage({ login, hidden: fields }) };
  return { page: ConsentPage({ app: appProps(client, scopes), login, hidden: fields }) };
}

async function decide(
  { context }: BrowserSession<UserActor>,
  wanted: DeviceRequest,
  action: 'authorize' | 'deny',
): Promise<PageOutcome> {
  const isFirst = await orRefused(() => decideDevice(context, wanted, action === 'authorize'));
  if (isFirst === undefined) return tooLittle;
  if (!isFirst) return notice('Too late', 'The code was used or has expired.', 409);
  if (!wanted.client)
    return action === 'authorize'
      ? notice('The other browser may sign in', 'Go on there. You can close this page.')
      : notice('The other browser is not signed in', 'Nothing was granted.');
  return action === 'authorize'
    ? notice('The device is connected', 'You can close this page and return to the device.')
    : notice('The device is not connected', 'Nothing was granted.');
}

/** `/settings/connections/applications/{client_id}` of a browser that is signed in. */
export async function connectionPage({ session, form }: PageRequest, clientId: string): Promise<PageOutcome> {
  const { context, formToken } = session;
  const { login } = session.actor;
  const client = await findOauthClient(context, clientId);
  if (!client) return notice('There is nothing here', 'No app has this client id.', 404);
  if (form?.action === 'revoke') await endConnection(context, client);
  const { tokens, scopes } = await connectionOf(context, client);
  return { page: ConnectionPage({ app: appProps(client, scopes), tokens, login, hidden: { form_token: formToken } }) };
}
