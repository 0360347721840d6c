import type { RequestHandler } from 'express';
import { type DocumentNode, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { executeDocument } from 'operation-rest';
import type { UserActor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import type { BrowserSessions } from './oauth/browser-session.ts';
import type { FormRules } from './oauth/form-page.ts';
import { ambiguous, localPath, notice, type PageOutcome, readPageRequest, sendPage } from './oauth/form-page.ts';
import type { Parameters } from './oauth/token-endpoint.ts';
import type { PageAdmission } from './page-admission.ts';

/** Buttons of pages that run a mutation of the graph, as the user who is signed in. */
interface PageButton {
  path: string;
  /** What is pressed, in the log of the steps. */
  about: string;
  /** By the `action` of the form. */
  mutations: Readonly<Record<string, DocumentNode>>;
  input(form: Parameters): Record<string, unknown>;
  /** What follows; the page of the form by default. */
  done?: Readonly<Record<string, (data: never) => PageOutcome>>;
  refused: {
    title: string;
    /** By the status of the error, in place of its message. */
    texts?: Readonly<Record<number, string>>;
  };
}

const declined = (): PageOutcome =>
  notice('The invitation is declined', 'You have no access by it, and nothing else to do.');

const gone =
  'It was answered or withdrawn, it has expired, or it is for another account. Ask who invited you for another one, or sign in as the account that was invited.';
const lacksScope = (scopes: string): string =>
  `The token that you signed in with lacks a scope: ${scopes}. Sign out, and sign in with one that has it.`;

export const pageButtons: readonly PageButton[] = [
  {
    path: '/webhooks/deliveries/redeliver',
    about: 'sends a delivery again',
    mutations: {
      hook: parse(
        'mutation ($input: RedeliverHookDeliveryInput!) { redeliverHookDelivery(input: $input) { clientMutationId } }',
      ),
      app: parse(
        'mutation ($input: RedeliverAppDeliveryInput!) { redeliverAppDelivery(input: $input) { clientMutationId } }',
      ),
    },
    input: ({ delivery = '' }) => ({ deliveryId: delivery }),
    refused: { title: 'The delivery is not sent again' },
  },
  {
    path: '/user/repository_invitations/answer',
    about: 'answers an invitation',
    mutations: {
      accept: parse(`mutation ($input: AcceptRepositoryInvitationInput!) {
        acceptRepositoryInvitation(input: $input) { repository { resourcePath } } }`),
      decline: parse(`mutation ($input: DeclineRepositoryInvitationInput!) {
        declineRepositoryInvitation(input: $input) { deletedId } }`),
    },
    input: ({ invitation = '' }) => ({ invitationId: invitation }),
    done: {
      accept: (data: { acceptRepositoryInvitation: { repository: { resourcePath: string } } }) => ({
        redirectTo: data.acceptRepositoryInvitation.repository.resourcePath,
      }),
      decline: declined,
    },
    refused: {
      title: 'The invitation is not answered',
      texts: {
        403: lacksScope('repo or repo:invite'),
        404: gone,
        409: 'It has expired. Ask who invited you for another one.',
      },
    },
  },
  {
    path: '/user/memberships/answer',
    about: 'answers an invitation',
    mutations: {
      accept: parse(`mutation ($input: AcceptOrganizationInvitationInput!) {
        acceptOrganizationInvitation(input: $input) { membership { organization { resourcePath } } } }`),
      decline: parse(`mutation ($input: DeclineOrganizationInvitationInput!) {
        declineOrganizationInvitation(input: $input) { clientMutationId } }`),
    },
    input: ({ organization = '' }) => ({ organizationId: organization }),
    done: {
      accept: (data: { acceptOrganizationInvitation: { membership: { organization: { resourcePath: string } } } }) => ({
        redirectTo: data.acceptOrganizationInvitation.membership.organization.resourcePath,
      }),
      decline: declined,
    },
    refused: { title: 'The invitation is not answered', texts: { 403: lacksScope('user'), 404: gone } },
  },
];

export interface PageButtonOptions extends FormRules<UserActor> {
  /** The guarded graph. */
  graph: GraphQLSchema;
  sessions: BrowserSessions<UserActor>;
  pageAdmissions: PageAdmission;
}

/** Takes the form of a button. */
export function pageButton(button: PageButton, options: PageButtonOptions): RequestHandler {
  return async (request, response) => {
    await options.pageAdmissions.admit(request, response);
    const read = await readPageRequest(request, response, options);
    if ('refused' in read) return sendPage(response, read.refused);
    const { form = {}, session } = read;
    if (!session) return sendPage(response, ambiguous);
    const visitor = { login: session.actor.login };
    sendPage(response, await press(button, options.graph, session.context, form), visitor);
  };
}

async function press(
  { mutations, input, done, refused }: PageButton,
  graph: GraphQLSchema,
  context: Context,
  form: Parameters,
): Promise<PageOutcome> {
  const { action = '' } = form;
  const document = Object.hasOwn(mutations, action) ? mutations[action] : undefined;
  if (!document) return ambiguous;
  context.isMutation = true;
  const { data, errors } = await executeDocument(graph, document, { variables: { input: input(form) }, context });
  const back = localPath(form.return_to) ?? '/';
  const [error] = errors ?? [];
  if (!error) return done?.[action]?.(data as never) ?? { redirectTo: back };
  const cause = error.originalError ?? error;
  const { http } = (cause instanceof GraphQLError ? cause.extensions : {}) as { http?: { status: number } };
  if (!http) throw cause;
  const text = refused.texts?.[http.status] ?? cause.message;
  return notice(refused.title, text, http.status, { href: back, label: 'Back to the page' });
}
