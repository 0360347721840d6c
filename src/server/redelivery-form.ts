import type { Request, RequestHandler } from 'express';
import { execute, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import type { UserActor } from '../auth/actor.ts';
import type { BrowserSession, BrowserSessions, SessionOptions } from './oauth/browser-session.ts';
import {
  ambiguous,
  bodyOf,
  foreign,
  isSameOrigin,
  localPath,
  notice,
  type PageOutcome,
  parseForm,
  sendPage,
} from './oauth/form-page.ts';
import type { PageAdmission } from './page-admission.ts';

const mutations = {
  hook: parse(
    'mutation Redeliver($input: RedeliverHookDeliveryInput!) { redeliverHookDelivery(input: $input) { clientMutationId } }',
  ),
  app: parse(
    'mutation Redeliver($input: RedeliverAppDeliveryInput!) { redeliverAppDelivery(input: $input) { clientMutationId } }',
  ),
} as const;

export interface RedeliveryFormOptions extends Pick<SessionOptions, 'origin'> {
  /** The guarded graph. */
  graph: GraphQLSchema;
  sessions: BrowserSessions<UserActor>;
  pageAdmissions: PageAdmission;
}

/** `POST /webhooks/deliveries/redeliver`: the button of the pages of deliveries, which sends one again by the mutation of the graph. */
export function redeliveryForm(options: RedeliveryFormOptions): RequestHandler {
  const { graph, sessions, pageAdmissions, origin } = options;

  async function outcomeOf(request: Request): Promise<PageOutcome> {
    const form = bodyOf(request);
    if (!form) return ambiguous;
    if (!isSameOrigin(request, origin(request)) || !sessions.isFormOf(request, form.form_token)) return foreign;
    const session = await sessions.find(request);
    if (!session) return ended;
    const kind = form.kind === 'app' ? 'app' : 'hook';
    const problem = await redeliver(session, kind, form.delivery ?? '');
    return problem ?? { redirectTo: localPath(form.return_to) ?? '/' };
  }

  async function redeliver(
    { context }: BrowserSession<UserActor>,
    kind: keyof typeof mutations,
    deliveryId: string,
  ): Promise<PageOutcome | undefined> {
    context.isMutation = true;
    const { errors } = await execute({
      schema: graph,
      document: mutations[kind],
      variableValues: { input: { deliveryId } },
      contextValue: context,
    });
    const [error] = errors ?? [];
    if (!error) return undefined;
    const cause = error.originalError ?? error;
    const { http } = (cause instanceof GraphQLError ? cause.extensions : {}) as { http?: { status: number } };
    if (!http) throw cause;
    return notice('The delivery is not sent again', cause.message, http.status);
  }

  return async (request, response, next) => {
    if (request.method !== 'POST') return next();
    await pageAdmissions.admit(request, response);
    await parseForm(request, response);
    sendPage(response, await outcomeOf(request));
  };
}

const ended = notice('Your session has ended', 'Sign in again, then load the page of the deliveries.', 401);
