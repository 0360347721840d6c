import type { PermissionMap } from '../../schema/hosting/permission-map.ts';

/**
 * The authenticated caller of a request. Every context has one; access rules and visibility conditions read nothing else about
 * the caller.
 */
export type Actor =
  | { kind: 'anonymous'; ip: string }
  /** A user with a session of the health product. A guest has an account without a confirmed e-mail address. */
  | { kind: 'person'; ip: string; userId: number; sessionId: string; isGuest: boolean; isModerator?: boolean }
  | HostingActor;

/** A caller with a credential of the code hosting product. The access scopes of the health product admit none of them. */
export type HostingActor = UserActor | InstallationActor | WorkflowActor | ServiceActor | AppActor | OauthAppActor;

/** A user, authenticated by a personal token or by a token of an app that acts on their behalf. */
export interface UserActor {
  kind: 'user';
  ip: string;
  accountId: number;
  login: string;
  isSiteAdmin: boolean;
  credential: UserCredential;
}

/**
 * Upper bounds that a credential inherits from its ancestors: the token that created it, the credential that installed its app,
 * the credential that added the key of the app, and the ancestors of those.
 */
export interface InheritedBounds {
  /** Users among the ancestors. A token that acts for no user has no role that one of them lacks. */
  accountIds: readonly number[];
  /** Ids of the SSO-enforcing organizations that every classic ancestor is authorized for; null without a classic ancestor. */
  ssoOrganizations: readonly number[] | null;
  /** Whether every ancestor may reach private repositories. */
  reachesPrivate: boolean;
  /** The highest level of each permission that every ancestor covers; null when they bound none. */
  permissions: PermissionMap | null;
  /** Number of ancestors. */
  depth: number;
}

interface StoredCredential {
  /** Primary key in `host_credential`. */
  id: number;
  /** Last eight characters of its secret, which may be replaced while a request runs; absent outside of requests. */
  lastEight?: string;
  /** The earliest expiry of it and its ancestors, as PostgreSQL prints a timestamptz; null when none expires. */
  expiresAt: string | null;
  /** Absent when it has no ancestor. */
  bounds?: InheritedBounds | undefined;
}

export type UserCredential =
  | (StoredCredential & {
      kind: 'classic';
      scopes: readonly string[];
      /** Ids of the SSO-enforcing organizations that it and every classic ancestor are authorized for. */
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
      /** The permissions that the app requests; those it was granted are in each installation. */
      permissions: PermissionMap;
      /** Upper bound in every installation; null when only the installations bound it. */
      ceiling?: PermissionMap | null | undefined;
      /** Set when the token was narrowed to one account, optionally to some of its repositories. */
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
  /** `installation`: the repositories of the installation. `token`: only those that the token was narrowed to. */
  selection: 'all' | 'installation' | 'token';
  permissions: PermissionMap;
  credential: StoredCredential & { kind: 'installation' };
}

/** A workflow run in one repository. */
export interface WorkflowActor {
  kind: 'workflow';
  ip: string;
  repositoryId: number;
  permissions: PermissionMap;
  credential: StoredCredential & { kind: 'workflow' };
}

/** A program of the operator, such as a dashboard. It reads counts of the whole installation, and no row of any account. */
export interface ServiceActor {
  kind: 'service';
  ip: string;
  credential: StoredCredential & { kind: 'service' };
}

/** An app, authenticated by a JWT that it signed. */
export interface AppActor {
  kind: 'app';
  ip: string;
  appId: number;
  /** Id of the key that signed the JWT; absent outside of requests. */
  keyId?: number | undefined;
  /** The earliest expiry of the ancestors of the key; absent or null when none expires. */
  expiresAt?: string | null | undefined;
  /** Absent when the operator added the key. */
  bounds?: InheritedBounds | undefined;
}

/** An app or an OAuth app, authenticated by its client id and secret. */
export interface OauthAppActor {
  kind: 'oauth-app';
  ip: string;
  clientId: string;
  client: { appId: number } | { oauthAppId: number };
}
