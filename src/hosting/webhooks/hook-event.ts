import type { Level } from '../../../schema/hosting/permission-map.ts';
import type { InstallationRow } from '../apps/apps.queries.ts';
import type { MembershipRow } from '../organizations/membership-rows.ts';

/** Permission that an installation needs to receive an event: receiving must not reveal more than the API would. */
const requiredPermissions = {
  push: 'contents',
  create: 'contents',
  delete: 'contents',
  repository_import: 'contents',
  repository_ruleset: 'administration',
  fork: 'metadata',
  member: 'metadata',
  organization: 'members',
  public: 'metadata',
  repository: 'metadata',
  star: 'metadata',
  watch: 'metadata',
} as const;

/** Events that apps subscribe to. */
export type SubscribableEvent = keyof typeof requiredPermissions;
/** Events about an app itself. They are sent to it without a subscription. */
export type AppEventName = 'installation' | 'installation_repositories' | 'ping' | 'meta';

/**
 * The permission and levels that let an installation receive an event; undefined for `metadata: read`, which every
 * installation has.
 */
export function requiredPermission(event: SubscribableEvent): { name: string; levels: readonly Level[] } | undefined {
  const name = requiredPermissions[event];
  return name === 'metadata' ? undefined : { name, levels: ['read', 'write', 'admin'] };
}

/** A JSON value that is copied to the payload unchanged. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** Ids of objects that the payload contains in their published form, by payload key. */
export interface EventObjectIds {
  /** Repository id. */
  forkee?: number;
  /** Account ids. */
  member?: number;
  user?: number;
  requester?: number;
  /** In the payload, below `invitation`. */
  inviter?: number;
  /** Owner before a transfer; in the payload, below `changes`. */
  formerUser?: number;
  formerOrganization?: number;
}

/** Data of a push event that is only known during the push. */
export interface PushEventData {
  ref: string;
  before: string;
  after: string;
  /** Full name of the branch that a new branch starts from, if any. */
  baseRef: string | null;
  forced: boolean;
  /** The last commit; null when the ref is deleted or does not point to a commit. */
  head: string | null;
  /** Oldest first. `distinct` is true when no other branch contains the commit. */
  commits: [sha: string, distinct: boolean][];
}

/** Columns of the row of a repository at the time of an event, among them its name and owner. */
export interface RepositoryState {
  readonly [column: string]: JsonValue | undefined;
  readonly name?: string;
  readonly ownerId?: number;
  readonly ownerLogin?: string;
  readonly ownerKind?: 'user' | 'organization';
}

/** Data from which payloads are built. Stored as JSON until the delivery is sent. */
export interface HookEventData {
  /** Event-specific payload keys, in published order. */
  own?: { readonly [key: string]: JsonValue | undefined };
  objects?: EventObjectIds;
  /** Account id of the user, or of the bot of the app, that caused the event; absent when neither did. */
  senderId?: number | undefined;
  /** The organization, when the event concerns no repository. */
  organizationId?: number | undefined;
  push?: PushEventData;
  /** Columns of the row of the repository at the time of the event; absent in deliveries of earlier versions. */
  repositoryState?: RepositoryState;
  /** A copy of the membership: it can have ended before the delivery is sent. */
  membership?: MembershipRow;
  /** A copy of the installation: it can be deleted before the delivery is sent. */
  installation?: InstallationRow;
}

interface BaseHookEvent extends HookEventData {
  action?: string;
  /** The app that caused the event, whose bot is the sender. */
  senderAppId?: number | undefined;
  at: Date;
}

/** An event of a repository, for its subscribed hooks, those of its organization, and apps that are installed on it. */
export interface RepositoryEvent extends BaseHookEvent {
  event: SubscribableEvent;
  repositoryId: number;
}

/** An event of an organization itself, for its subscribed hooks and apps that are installed there. */
export interface OrganizationEvent extends BaseHookEvent {
  event: SubscribableEvent;
  organizationId: number;
}

/** An event about an app, for that app. */
export interface AppEvent extends BaseHookEvent {
  event: AppEventName;
  appId: number;
}

/** An event for one hook of a repository or an organization, whatever it subscribes to. */
export interface HookOwnEvent extends BaseHookEvent {
  event: 'ping' | 'push';
  hookId: number;
}

export type HookEvent = RepositoryEvent | OrganizationEvent | AppEvent | HookOwnEvent;
