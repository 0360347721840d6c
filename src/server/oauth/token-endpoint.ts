import type { Request, Response } from 'express';
import { GraphQLError } from 'graphql';
import { parseClientCredentials } from '../../auth/credentials/oauth-app-basic.ts';
import type { Context } from '../../context/context.ts';
import { pollDevice, startDeviceFlow } from '../../hosting/oauth/device-flow.ts';
import { exchangeCode } from '../../hosting/oauth/exchange-code.ts';
import { oauthErrors, type TokenAnswer } from '../../hosting/oauth/grant.ts';
import { findOauthClient, type OauthClient, requestedScopes } from '../../hosting/oauth/oauth-client.ts';
import { refreshTokens } from '../../hosting/oauth/refresh.ts';
import { withAuthorization } from './with-authorization.ts';

/** Parameters of a request: each name once. */
export type Parameters = Readonly<Record<string, string | undefined>>;

export interface EndpointOptions {
  context(request: Request): Promise<Context>;
  origin(request: Request): string;
}

interface IdentifiedClient {
  context: Context;
  client: OauthClient;
  /** Whether it proved its secret. */
  hasSecret: boolean;
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** `POST /login/oauth/access_token`: exchanges a code, a device code or a refresh token. */
export async function tokenEndpoint(
  { context }: EndpointOptions,
  request: Request,
  response: Response,
  parameters: Parameters,
): Promise<void> {
  const identified = await identify(context, request, parameters);
  respond(request, response, identified ? await exchange(identified, parameters) : refusedClient);
}

/** `POST /login/device/code`: begins the flow of a device. */
export async function deviceEndpoint(
  { context, origin }: EndpointOptions,
  request: Request,
  response: Response,
  parameters: Parameters,
): Promise<void> {
  const identified = await identify(context, request, parameters);
  if (!identified) return respond(request, response, refusedClient);
  const scopes = requestedScopes(identified.client, parameters.scope);
  if (!scopes) return respond(request, response, { error: 'invalid_scope' });
  const codes = await startDeviceFlow(identified.context, identified.client, scopes);
  respond(request, response, { ...codes, verification_uri: `${origin(request)}/login/device` });
}

const refusedClient: TokenAnswer = { error: 'incorrect_client_credentials' };

/**
 * The client of a request, by Basic or by parameters. A secret is verified by the authentication of the API, so that wrong ones
 * count there. Undefined for an unknown client and for a wrong secret.
 */
async function identify(
  contextOf: EndpointOptions['context'],
  request: Request,
  parameters: Parameters,
): Promise<IdentifiedClient | undefined> {
  const [, payload] = /^Basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const basic = payload === undefined ? undefined : parseClientCredentials(payload);
  const clientId = basic?.clientId ?? parameters.client_id ?? '';
  const secret = basic?.secret || parameters.client_secret;
  const authorization = secret && `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  const context = await contextOf(withAuthorization(request, authorization));
  const hasSecret = context.actor.kind === 'oauth-app';
  if (secret && !hasSecret) return undefined;
  const client = await findOauthClient(context, clientId);
  return client ? { context, client, hasSecret } : undefined;
}

async function exchange(
  { context, client, hasSecret }: IdentifiedClient,
  parameters: Parameters,
): Promise<TokenAnswer> {
  const { grant_type: type = 'authorization_code', code = '', redirect_uri: redirectUri } = parameters;
  try {
    switch (type) {
      case 'authorization_code':
        return await exchangeCode(context, client, {
          code,
          redirectUri,
          codeVerifier: parameters.code_verifier,
          hasSecret,
        });
      case 'refresh_token':
        return await refreshTokens(context, client, { refreshToken: parameters.refresh_token ?? '', hasSecret });
      case deviceGrant:
        return await pollDevice(context, client, parameters.device_code ?? '');
      default:
        return { error: 'unsupported_grant_type' };
    }
  } catch (error) {
    // The credential that the user signed in with was replaced in between.
    if (error instanceof GraphQLError) return { error: 'bad_verification_code' };
    throw error;
  }
}

/** As published: status 200 for errors too, and a form for clients that do not ask for JSON. */
function respond(request: Request, response: Response, answer: TokenAnswer | object): void {
  const error = 'error' in answer ? (answer.error as keyof typeof oauthErrors) : undefined;
  const body = error === undefined ? answer : { ...answer, error_description: oauthErrors[error] };
  response.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache', 'Access-Control-Allow-Origin': '*' });
  if (request.headers.accept?.includes('application/json')) response.json(body);
  else {
    const text = new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)])).toString();
    response.type('application/x-www-form-urlencoded').send(text);
  }
}
