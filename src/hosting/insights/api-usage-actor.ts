import type { Actor } from '../../auth/actor.ts';

/** Kind of credential that a request was made with. */
export type ApiUsageActorType =
  | 'installation'
  | 'classic_pat'
  | 'fine_grained_pat'
  | 'oauth_app'
  | 'user_to_server'
  | 'workflow';

/** The actor that a request is counted for. */
export interface ApiUsageActor {
  type: ApiUsageActorType;
  /** Id of the installation, token, OAuth app, app, or of the workflow's repository. */
  id: number;
  /** The user behind the request; 0 when an app or workflow acts for itself. */
  userId: number;
  /** The app behind the request; null when there is none. */
  integrationId: number | null;
}

/**
 * The actor that a request is counted for. Undefined for actors without a published type: anonymous callers, persons of
 * the health product, and apps that authenticate as themselves, which belong to no organization.
 */
export function apiUsageActorOf(actor: Actor): ApiUsageActor | undefined {
  switch (actor.kind) {
    case 'user':
      return actorOfUser(actor);
    case 'installation':
      return { type: 'installation', id: actor.installationId, userId: 0, integrationId: actor.appId };
    case 'workflow':
      return { type: 'workflow', id: actor.repositoryId, userId: 0, integrationId: null };
    default:
      return undefined;
  }
}

function actorOfUser({ credential, accountId: userId }: Extract<Actor, { kind: 'user' }>): ApiUsageActor {
  switch (credential.kind) {
    case 'classic':
      return { type: 'classic_pat', id: credential.id, userId, integrationId: null };
    case 'fine_grained':
      return { type: 'fine_grained_pat', id: credential.id, userId, integrationId: null };
    case 'oauth':
      return { type: 'oauth_app', id: credential.oauthAppId, userId, integrationId: null };
    case 'user_to_server':
      return { type: 'user_to_server', id: credential.appId, userId, integrationId: credential.appId };
  }
}
