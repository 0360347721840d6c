import type { PermissionMap } from '../../schema/hosting/permission-map.ts';

/** Who is asking. One of these stands in every context; rules and visibility read nothing else about the caller. */
export type Actor =
  | { kind: 'anonymous'; ip: string }
  /** Somebody with a session of the health product. A guest has an account that nobody has claimed. */
  | { kind: 'person'; ip: string; userId: number; sessionId: string; isGuest: boolean }
  | HostingActor;

/** Who is asking with a credential of the code hosting product. Health words let none of them in. */
export type HostingActor = UserActor | InstallationActor | WorkflowActor | AppActor | OauthAppActor;

/** A user, through a token of theirs or of an app that acts for them. */
export interface UserActor {
  kind: 'user';
  ip: string;
  accountId: number;
  login: string;
  isSiteAdmin: boolean;
  credential: UserCredential;
}

interface Stored {
  /** Key of its row. */
  id: number;
  /** As PostgreSQL prints it; null for ever. */
  expiresAt: string | null;
}

export type UserCredential =
  | (Stored & {
      kind: 'classic';
      scopes: readonly string[];
      /** Organizations with single sign-on that it has been authorized for. */
      ssoOrganizations: readonly number[];
    })
  | (Stored & { kind: 'oauth'; scopes: readonly string[]; oauthAppId: number })
  | (Stored & {
      kind: 'fine_grained';
      resourceOwnerId: number;
      selection: 'all' | 'selected';
      permissions: PermissionMap;
    })
  | (Stored & {
      kind: 'user_to_server';
      appId: number;
      /** What the app asks for; what it was given stands in each installation. */
      permissions: PermissionMap;
      /** Set when the token was narrowed to one account, and perhaps to some of its repositories. */
      narrowed: { ownerId: number; selection: 'all' | 'selected'; permissions: PermissionMap } | null;
    });

/** An app in one of its installations. */
export interface InstallationActor {
  kind: 'installation';
  ip: string;
  installationId: number;
  appId: number;
  /** The account that installed the app. */
  accountId: number;
  /** `installation`: what the installation is about. `token`: only what the token was narrowed to. */
  selection: 'all' | 'installation' | 'token';
  permissions: PermissionMap;
  credential: Stored & { kind: 'installation' };
}

/** A run of workflow automation in one repository. */
export interface WorkflowActor {
  kind: 'workflow';
  ip: string;
  repositoryId: number;
  permissions: PermissionMap;
  credential: Stored & { kind: 'workflow' };
}

/** An app itself, by a token it signed. */
export interface AppActor {
  kind: 'app';
  ip: string;
  appId: number;
}

/** An app or an OAuth app itself, by its client id and secret. */
export interface OauthAppActor {
  kind: 'oauth-app';
  ip: string;
  clientId: string;
  client: { appId: number } | { oauthAppId: number };
}
