import type { Level } from '../../../schema/hosting/permission-map.ts';
import type { InstallationRow } from '../apps/apps.queries.ts';

/** What an app needs in an installation to be told of an event: reading it there must not be more than asking would give. */
const requiredPermissions = {
  push: 'contents',
  create: 'contents',
  delete: 'contents',
  repository_import: 'contents',
  repository_ruleset: 'administration',
  fork: 'metadata',
  member: 'metadata',
  public: 'metadata',
  repository: 'metadata',
  star: 'metadata',
  watch: 'metadata',
} as const;

/** Events that apps subscribe to. */
export type SubscribableEvent = keyof typeof requiredPermissions;
/** Events that an app is always told of, because they are about itself. */
export type AppEventName = 'installation' | 'installation_repositories' | 'ping' | 'meta';

/** Whether installations with the permission are told; `metadata: read` all of them have. */
export function requiredPermission(event: SubscribableEvent): { name: string; levels: readonly Level[] } | undefined {
  const name = requiredPermissions[event];
  return name === 'metadata' ? undefined : { name, levels: ['read', 'write', 'admin'] };
}

/** Values that are sent as they are. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** Keys of the payload under which something is sent in its published form, with its number. */
export interface EventObjectIds {
  /** Repositories. */
  forkee?: number;
  /** Accounts. */
  member?: number;
  requester?: number;
}

/** The part of a push that has to be found out while it happens. */
export interface PushEventData {
  ref: string;
  before: string;
  after: string;
  /** The ref that a new one was made from. */
  baseRef: string | null;
  forced: boolean;
  /** The last commit; null where there is none. */
  head: string | null;
  /** The oldest first; whether it was on no other branch. */
  commits: [sha: string, distinct: boolean][];
}

/** Something that happened, as far as payloads are made of it. Kept as JSON until they are. */
export interface HookEventData {
  /** Keys of the payload, in their order. */
  own?: { readonly [key: string]: JsonValue | undefined };
  objects?: EventObjectIds;
  /** Number of who did it; absent for the installation of the product itself. */
  senderId?: number | undefined;
  /** The organization it is about, where no repository is. */
  organizationId?: number | undefined;
  push?: PushEventData;
  /** As it was: of an installation that may be gone. */
  installation?: InstallationRow;
}

interface BaseHookEvent extends HookEventData {
  action?: string;
  at: Date;
}

/** An event of a repository: told to the apps that are installed for it and subscribe to it. */
export interface RepositoryEvent extends BaseHookEvent {
  event: SubscribableEvent;
  repositoryId: number;
}

/** An event of an organization and none of its repositories: told to the apps that are installed there and subscribe to it. */
export interface OrganizationEvent extends BaseHookEvent {
  event: SubscribableEvent;
  organizationId: number;
}

/** An event of an app itself, told to that app. */
export interface AppEvent extends BaseHookEvent {
  event: AppEventName;
  appId: number;
}

export type HookEvent = RepositoryEvent | OrganizationEvent | AppEvent;
