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

/**
 * What the credentials above a credential leave of it: the token that made it, the credential that installed its app, the one
 * that added the key of the app, and all above those.
 */
export interface InheritedBounds {
  /** Users above it, of a token that acts for no user: it has no role that one of them lacks. */
  accountIds: readonly number[];
  /** Organizations with single sign-on that all classic tokens above it are authorized for; null where none is above it. */
  ssoOrganizations: readonly number[] | null;
  /** Whether all above it are good for private repositories. */
  reachesPrivate: boolean;
  /** The highest level of each permission that all above it cover; null where they bound none. */
  permissions: PermissionMap | null;
  /** Number of credentials above it. */
  depth: number;
}

interface StoredCredential {
  /** Key of its row. */
  id: number;
  /** Last characters of its secret, which may be replaced while a request is on its way; absent in work outside of requests. */
  lastEight?: string;
  /** The first moment at which it or a credential above it expires, as PostgreSQL prints it; null for ever. */
  expiresAt: string | null;
  /** Absent where no credential is above it. */
  bounds?: InheritedBounds | undefined;
}

export type UserCredential =
  | (StoredCredential & {
      kind: 'classic';
      scopes: readonly string[];
      /** Organizations with single sign-on that it, and all classic tokens above it, have been authorized for. */
      ssoOrganizations: readonly number[];
    })
  | (StoredCredential & { kind: 'oauth'; scopes: readonly string[]; oauthAppId: number })
  | (StoredCredential & {
      kind: 'fine_grained';
      resourceOwnerId: number;
      selection: 'all' | 'selected';
      permissions: PermissionMap;
    })
  | (StoredCredential & {
      kind: 'user_to_server';
      appId: number;
      /** What the app asks for; what it was given stands in each installation. */
      permissions: PermissionMap;
      /** What it may do at most, wherever the app is installed; null where only the installations bound it. */
      ceiling?: PermissionMap | null | undefined;
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
  credential: StoredCredential & { kind: 'installation' };
}

/** A run of workflow automation in one repository. */
export interface WorkflowActor {
  kind: 'workflow';
  ip: string;
  repositoryId: number;
  permissions: PermissionMap;
  credential: StoredCredential & { kind: 'workflow' };
}

/** An app itself, by a token it signed. */
export interface AppActor {
  kind: 'app';
  ip: string;
  appId: number;
  /** The key that the token was signed with; absent where the app acts in work outside of requests. */
  keyId?: number | undefined;
  /** The first moment at which a credential above the key expires; absent or null for ever. */
  expiresAt?: string | null | undefined;
  /** Absent where the operator added the key. */
  bounds?: InheritedBounds | undefined;
}

/** An app or an OAuth app itself, by its client id and secret. */
export interface OauthAppActor {
  kind: 'oauth-app';
  ip: string;
  clientId: string;
  client: { appId: number } | { oauthAppId: number };
}
