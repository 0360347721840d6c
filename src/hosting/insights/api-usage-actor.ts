import type { Actor } from '../../auth/actor.ts';

/** What a request was made with. `user_to_server` is published as `<brand>_app_user_to_server`. */
export type ApiUsageActorType =
  | 'installation'
  | 'classic_pat'
  | 'fine_grained_pat'
  | 'oauth_app'
  | 'user_to_server'
  | 'workflow';

/** A caller as requests are counted by it. */
export interface ApiUsageActor {
  type: ApiUsageActorType;
  /** Of the installation, the token, the OAuth app, the app, or of the repository that the workflow runs in. */
  id: number;
  /** The user behind it; 0 where an app or a workflow acts for itself. */
  userId: number;
  /** The app behind it; null where there is none. */
  integrationId: number | null;
}

/**
 * Who a request counts for. Undefined for those whom no published actor stands for: nobody in particular, people of the
 * health product, and apps as themselves by JWT or client secret, which belong to no organization they ask about.
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

/** The published name of what a request was made with. `brand`: the word that stands for the service. */
export function publishedActorType(type: string, brand: string): string {
  return type === 'user_to_server' ? `${brand}_app_user_to_server` : type;
}

const publishedTypes: readonly ApiUsageActorType[] = [
  'installation',
  'classic_pat',
  'fine_grained_pat',
  'oauth_app',
  'user_to_server',
];

/** What a published name stands for; undefined for one that is not published. */
export function parseActorType(name: string, brand: string): ApiUsageActorType | undefined {
  return publishedTypes.find(type => publishedActorType(type, brand) === name);
}
