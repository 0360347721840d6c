import type { IncomingMessage } from 'node:http';
import type { Actor, ServiceActor, UserActor } from '../../auth/actor.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import { parseTokenKind } from '../../auth/hosting-token.ts';
import { endOwnSession } from '../../health/accounts/log-out.ts';
import { endBrowserSignIn } from '../../hosting/oauth/browser-sign-in.ts';
import type { SessionKind } from './browser-session.ts';

/** A person, as the actor of a session of the health product. */
export type PersonActor = Extract<Actor, { kind: 'person' }>;

/** Of code hosting: the token that the user pasted, which may authorize apps. */
export const hostingSessions: SessionKind<UserActor> = {
  cookieName: 'portico_session',
  purpose: 'browser session',
  isToken: text => ![undefined, 'service'].includes(parseTokenKind(text)),
  actorOf: ({ actor }) =>
    actor.kind === 'user' && checkHostingScope('tokens:write', actor) === true ? actor : undefined,
  end: async ({ isOwn, context }) => {
    if (isOwn) await endBrowserSignIn(context);
  },
};

/** Of the health product: an access token of a session that the password opened. */
export const healthSessions: SessionKind<PersonActor> = {
  cookieName: 'portico_health_session',
  purpose: 'browser session of the health product',
  isToken: text => parseTokenKind(text) === undefined,
  actorOf: ({ actor }) => (actor.kind === 'person' ? actor : undefined),
  end: ({ context }) => endOwnSession(context),
};

/** Of dashboards of the installation: the service credential that was pasted. */
export const serviceSessions: SessionKind<ServiceActor> = {
  cookieName: 'portico_service_session',
  purpose: 'browser session of a service credential',
  isToken: text => parseTokenKind(text) === 'service',
  actorOf: ({ actor }) => (actor.kind === 'service' ? actor : undefined),
  end: async () => {},
};

/** Whether a browser sent a session of any kind, valid or not. */
export const hasSession = ({ headers: { cookie = '' } }: IncomingMessage): boolean =>
  [hostingSessions, healthSessions, serviceSessions].some(({ cookieName }) => cookie.includes(`${cookieName}=`));
