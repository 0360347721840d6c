import type { IncomingMessage } from 'node:http';
import type { Actor, UserActor } from '../../auth/actor.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import { parseTokenKind } from '../../auth/hosting-token.ts';
import type { SessionKind } from './browser-session.ts';

/** A person, as the actor of a session of the health product. */
export type PersonActor = Extract<Actor, { kind: 'person' }>;

/** Of code hosting: the token that the user pasted, which may authorize apps. */
export const hostingSessions: SessionKind<UserActor> = {
  cookieName: 'portico_session',
  purpose: 'browser session',
  isToken: text => parseTokenKind(text) !== undefined,
  actorOf: ({ actor }) =>
    actor.kind === 'user' && checkHostingScope('tokens:write', actor) === true ? actor : undefined,
};

/** Of the health product: an access token of a session that the password opened. */
export const healthSessions: SessionKind<PersonActor> = {
  cookieName: 'portico_health_session',
  purpose: 'browser session of the health product',
  isToken: text => parseTokenKind(text) === undefined,
  actorOf: ({ actor }) => (actor.kind === 'person' ? actor : undefined),
};

/** Whether a browser sent a session of any product, valid or not. */
export const hasSession = ({ headers: { cookie = '' } }: IncomingMessage): boolean =>
  [hostingSessions, healthSessions].some(({ cookieName }) => cookie.includes(`${cookieName}=`));
