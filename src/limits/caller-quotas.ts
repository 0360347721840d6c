import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Actor, UserActor } from '../auth/actor.ts';
import type { Read } from '../db/read.ts';
import { ipKey } from './rate-limit-keys.ts';
import {
  type CallerClass,
  hourlyLimits,
  installationHourlyLimit,
  type Resource,
  resourceLimits,
} from './request-limit-tables.ts';

/** The identity of one caller for rate limits, and its hourly limit. */
export interface CallerQuota {
  /** Owner of the counters and slots, the same at every entry point. */
  owner: string;
  /** Suffix of the keys of primary windows, if the owner has several sets of them. */
  keySuffix: string;
  /** Requests per hour; undefined for an app authenticated as itself, which has no hourly limit. */
  perHour: number | undefined;
  isAnonymous: boolean;
  /** Selects the limits of CPU time, database time and bytes. */
  class: CallerClass;
  /** The caller as error messages name it: `user ID 7`, or the IP address. */
  name: string;
}

interface QuotaFacts {
  isEnterprise: boolean;
  repositories?: number;
  people?: number;
}

/** Maximum age of a cached hourly limit. */
const maxAgeMs = 60_000;
const maxCachedCallers = 10_000;

/** Determines the quota of a caller. Limits that depend on rows are read once a minute per caller. */
export class CallerQuotas {
  readonly #read: Read;
  readonly #clock: () => Date;
  readonly #cache = new LRUCache<string, { perHour: number; at: number }>({ max: maxCachedCallers });

  constructor(read: Read, clock: () => Date) {
    this.#read = read;
    this.#clock = clock;
  }

  async of(actor: Actor): Promise<CallerQuota> {
    const { owner, name } = ownerOf(actor);
    const isAnonymous = actor.kind === 'anonymous' || actor.kind === 'person';
    const callerClass = actor.kind === 'anonymous' ? 'address' : actor.kind === 'person' ? 'person' : 'credential';
    const base = { owner, name, isAnonymous, class: callerClass } as const;
    const of = (perHour: number | undefined, keySuffix = ''): CallerQuota => ({ ...base, perHour, keySuffix });
    switch (actor.kind) {
      case 'anonymous':
      case 'person':
        return of(hourlyLimits.anonymous);
      case 'app':
        return of(undefined);
      case 'service':
        return of(hourlyLimits.user);
      case 'user': {
        const app = appOf(actor);
        if (!app) return of(hourlyLimits.user);
        // An app of an enterprise has its own hourly limit and does not use up that of the user's own tokens.
        const key = `${owner} by ${app.key}`;
        const perHour = await this.#cachedHourlyLimit(key, app.facts, () => hourlyLimits.user);
        return perHour === hourlyLimits.user ? of(perHour) : of(perHour, ` by ${app.key}`);
      }
      case 'installation':
        return of(
          await this.#cachedHourlyLimit(
            owner,
            installationFacts(actor.installationId),
            ({ repositories = 0, people = 0 }) => installationHourlyLimit(repositories, people),
          ),
        );
      case 'oauth-app': {
        const { client } = actor;
        const facts = 'appId' in client ? appFacts(client.appId) : oauthAppFacts(client.oauthAppId);
        return of(await this.#cachedHourlyLimit(owner, facts, () => hourlyLimits.user));
      }
      case 'workflow': {
        const facts = sql<QuotaFacts>`select a.plan = 'enterprise' as "isEnterprise"
          from repository r join account a on a.id = r.owner_id where r.id = ${actor.repositoryId}`;
        return of(await this.#cachedHourlyLimit(owner, facts, () => hourlyLimits.workflow));
      }
    }
  }

  async #cachedHourlyLimit(
    key: string,
    query: RawBuilder<QuotaFacts>,
    limitOf: (facts: QuotaFacts) => number,
  ): Promise<number> {
    const now = this.#clock().getTime();
    const known = this.#cache.get(key);
    if (known && Math.abs(now - known.at) < maxAgeMs) return known.perHour;
    const [facts = { isEnterprise: false }] = await this.#read(query);
    const perHour = facts.isEnterprise ? hourlyLimits.enterprise : limitOf(facts);
    this.#cache.set(key, { perHour, at: now });
    return perHour;
  }
}

/** Limit of a caller in the window of a resource, and its length. */
export function windowLimitOf(
  { perHour, isAnonymous }: CallerQuota,
  resource: Resource,
): { limit: number; seconds: number } {
  const { seconds, anonymous, ...own } = resourceLimits[resource];
  if (isAnonymous) return { limit: anonymous, seconds };
  return { limit: 'limit' in own ? own.limit : (perHour ?? hourlyLimits.user), seconds };
}

/** The key that all credentials of a caller have in common, and the name that messages have for it. */
export function ownerOf(actor: Actor): { owner: string; name: string } {
  switch (actor.kind) {
    case 'anonymous':
      return { owner: `ip ${ipKey(actor.ip)}`, name: actor.ip };
    case 'person':
      return { owner: `person ${actor.userId}`, name: `account ID ${actor.userId}` };
    case 'user':
      return { owner: `user ${actor.accountId}`, name: `user ID ${actor.accountId}` };
    case 'installation':
      return { owner: `installation ${actor.installationId}`, name: `installation ID ${actor.installationId}` };
    case 'workflow':
      return { owner: `repository ${actor.repositoryId}`, name: `repository ID ${actor.repositoryId}` };
    case 'service':
      return { owner: `service ${actor.credential.id}`, name: `service credential ID ${actor.credential.id}` };
    case 'app':
      return { owner: `app ${actor.appId}`, name: `app ID ${actor.appId}` };
    case 'oauth-app':
      return { owner: `client ${actor.clientId}`, name: `client ID ${actor.clientId}` };
  }
}

/** The app that acts for a user, and a query whether it belongs to an enterprise of which the user is a member. */
function appOf({ accountId, credential }: UserActor): { key: string; facts: RawBuilder<QuotaFacts> } | undefined {
  if (credential.kind === 'oauth') {
    const { oauthAppId } = credential;
    const owners = sql`select owner_id from oauth_app where id = ${oauthAppId}`;
    return { key: `oauth-app ${oauthAppId}`, facts: memberOf(accountId, owners) };
  }
  if (credential.kind !== 'user_to_server') return undefined;
  const { appId } = credential;
  // Installing an app counts as approving it.
  const owners = sql`select owner_id from app where id = ${appId} union all
    select account_id from installation where app_id = ${appId} and suspended_at is null`;
  return { key: `app ${appId}`, facts: memberOf(accountId, owners) };
}

const memberOf = (accountId: number, organizations: RawBuilder<unknown>): RawBuilder<QuotaFacts> => sql<QuotaFacts>`
  select exists (select 1 from membership m join account o on o.id = m.organization_id
    where m.account_id = ${accountId} and o.plan = 'enterprise' and o.id in (${organizations})) as "isEnterprise"`;

const appFacts = (id: number): RawBuilder<QuotaFacts> => sql<QuotaFacts>`
  select a.plan = 'enterprise' as "isEnterprise" from app p join account a on a.id = p.owner_id where p.id = ${id}`;

const oauthAppFacts = (id: number): RawBuilder<QuotaFacts> => sql<QuotaFacts>`
  select a.plan = 'enterprise' as "isEnterprise" from oauth_app p join account a on a.id = p.owner_id where p.id = ${id}`;

/** Counts stop at 200, where the limit reaches its maximum. */
const installationFacts = (id: number): RawBuilder<QuotaFacts> => sql<QuotaFacts>`
  select a.plan = 'enterprise' as "isEnterprise",
    case i.repository_selection
      when 'all' then (select count(*) from (select 1 from repository where owner_id = a.id limit 200) few)
      else (select count(*) from (select 1 from installation_repository where installation_id = i.id limit 200) few)
    end::int as repositories,
    (select count(*) from (select 1 from membership where organization_id = a.id limit 200) few)::int as people
  from installation i join account a on a.id = i.account_id where i.id = ${id}`;
