import type { Level } from '../../../schema/hosting/permission-map.ts';
import type { InstallationRow } from '../apps/apps.queries.ts';

/** What an app needs in an installation to be told of an event: reading it there must not be more than asking would give. */
const needs = {
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
export type SubscribedEvent = keyof typeof needs;
/** Events that an app is always told of, because they are about itself. */
export type OwnEvent = 'installation' | 'installation_repositories' | 'ping' | 'meta';

/** Whether installations with the permission are told; `metadata: read` all of them have. */
export function permissionFor(event: SubscribedEvent): { name: string; levels: readonly Level[] } | undefined {
  const name = needs[event];
  return name === 'metadata' ? undefined : { name, levels: ['read', 'write', 'admin'] };
}

/** Values that are sent as they are. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain | undefined };

/** Keys of the payload under which something is sent in its published form, with its number. */
export interface NamedObjects {
  /** Repositories. */
  forkee?: number;
  /** Accounts. */
  member?: number;
  requester?: number;
}

/** The part of a push that has to be found out while it happens. */
export interface PushFacts {
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
export interface HookCause {
  /** Keys of the payload, in their order. */
  own?: { readonly [key: string]: Plain | undefined };
  objects?: NamedObjects;
  /** Number of who did it; absent for the installation of the product itself. */
  senderId?: number | undefined;
  /** The organization it is about, where no repository is. */
  organizationId?: number | undefined;
  push?: PushFacts;
  /** As it was: of an installation that may be gone. */
  installation?: InstallationRow;
}

interface Happened extends HookCause {
  action?: string;
  at: Date;
}

/** An event of a repository: told to the apps that are installed for it and subscribe to it. */
export interface RepositoryEvent extends Happened {
  event: SubscribedEvent;
  repositoryId: number;
}

/** An event of an organization and none of its repositories: told to the apps that are installed there and subscribe to it. */
export interface OrganizationEvent extends Happened {
  event: SubscribedEvent;
  organizationId: number;
}

/** An event of an app itself, told to that app. */
export interface AppEvent extends Happened {
  event: OwnEvent;
  appId: number;
}

export type HookEvent = RepositoryEvent | OrganizationEvent | AppEvent;
