import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Actor, UserActor } from '../auth/actor.ts';
import type { Read } from '../db/read.ts';
import { type CallerClass, hourly, installationHourly, type Resource, resources } from './primary-limits.ts';
import { ipKey } from './throttle-keys.ts';

/** For how much one caller is good. */
export interface Allowance {
  /** Whom requests count for, at every door. */
  owner: string;
  /** Part of the keys of the primary windows, where the owner has several sets of them. */
  share: string;
  /** Requests in an hour; undefined for who is not limited so: an app as itself. */
  perHour: number | undefined;
  isAnonymous: boolean;
  /** Whose resources are used. */
  class: CallerClass;
  /** Who that is, as errors name it: `user ID 7`, or the address. */
  name: string;
}

interface Facts {
  isEnterprise: boolean;
  repositories?: number;
  people?: number;
}

/** Milliseconds for which what was read of a plan, of repositories and of people is believed. */
const longestBelief = 60_000;
const remembered = 10_000;

/** Knows for how much callers are good. Reads what depends on rows once a minute and caller. */
export class CallerAllowances {
  readonly #read: Read;
  readonly #clock: () => Date;
  readonly #known = new LRUCache<string, { perHour: number; at: number }>({ max: remembered });

  constructor(read: Read, clock: () => Date) {
    this.#read = read;
    this.#clock = clock;
  }

  async of(actor: Actor): Promise<Allowance> {
    const { owner, name } = ownerOf(actor);
    const isAnonymous = actor.kind === 'anonymous' || actor.kind === 'person';
    const callerClass = actor.kind === 'anonymous' ? 'address' : actor.kind === 'person' ? 'person' : 'credential';
    const base = { owner, name, isAnonymous, class: callerClass } as const;
    const of = (perHour: number | undefined, share = ''): Allowance => ({ ...base, perHour, share });
    switch (actor.kind) {
      case 'anonymous':
      case 'person':
        return of(hourly.anonymous);
      case 'app':
        return of(undefined);
      case 'user': {
        const app = appOf(actor);
        if (!app) return of(hourly.user);
        // An app that an enterprise answers for does not use up what the user's own tokens have.
        const key = `${owner} by ${app.key}`;
        const perHour = await this.#remembered(key, app.facts, () => hourly.user);
        return perHour === hourly.user ? of(perHour) : of(perHour, ` by ${app.key}`);
      }
      case 'installation':
        return of(
          await this.#remembered(owner, installationFacts(actor.installationId), ({ repositories = 0, people = 0 }) =>
            installationHourly(repositories, people),
          ),
        );
      case 'oauth-app': {
        const { client } = actor;
        const facts = 'appId' in client ? appFacts(client.appId) : oauthAppFacts(client.oauthAppId);
        return of(await this.#remembered(owner, facts, () => hourly.user));
      }
      case 'workflow': {
        const facts = sql<Facts>`select a.plan = 'enterprise' as "isEnterprise"
          from repository r join account a on a.id = r.owner_id where r.id = ${actor.repositoryId}`;
        return of(await this.#remembered(owner, facts, () => hourly.workflow));
      }
    }
  }

  async #remembered(key: string, query: RawBuilder<Facts>, otherwise: (facts: Facts) => number): Promise<number> {
    const now = this.#clock().getTime();
    const known = this.#known.get(key);
    if (known && Math.abs(now - known.at) < longestBelief) return known.perHour;
    const [facts = { isEnterprise: false }] = await this.#read(query);
    const perHour = facts.isEnterprise ? hourly.enterprise : otherwise(facts);
    this.#known.set(key, { perHour, at: now });
    return perHour;
  }
}

/** Most requests of a caller in a window, and its length. */
export function windowOf({ perHour, isAnonymous }: Allowance, resource: Resource): { limit: number; seconds: number } {
  const { seconds, anonymous, ...own } = resources[resource];
  if (isAnonymous) return { limit: anonymous, seconds };
  return { limit: 'limit' in own ? own.limit : (perHour ?? hourly.user), seconds };
}

function ownerOf(actor: Actor): { owner: string; name: string } {
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
    case 'app':
      return { owner: `app ${actor.appId}`, name: `app ID ${actor.appId}` };
    case 'oauth-app':
      return { owner: `client ${actor.clientId}`, name: `client ID ${actor.clientId}` };
  }
}

/** The app that a user is asked for by, and whether it is of an enterprise that the user is a member of. */
function appOf({ accountId, credential }: UserActor): { key: string; facts: RawBuilder<Facts> } | undefined {
  if (credential.kind === 'oauth') {
    const { oauthAppId } = credential;
    const owners = sql`select owner_id from oauth_app where id = ${oauthAppId}`;
    return { key: `oauth-app ${oauthAppId}`, facts: memberOf(accountId, owners) };
  }
  if (credential.kind !== 'user_to_server') return undefined;
  const { appId } = credential;
  // To install an app is to approve it.
  const owners = sql`select owner_id from app where id = ${appId} union all
    select account_id from installation where app_id = ${appId} and suspended_at is null`;
  return { key: `app ${appId}`, facts: memberOf(accountId, owners) };
}

const memberOf = (accountId: number, organizations: RawBuilder<unknown>): RawBuilder<Facts> => sql<Facts>`
  select exists (select 1 from membership m join account o on o.id = m.organization_id
    where m.account_id = ${accountId} and o.plan = 'enterprise' and o.id in (${organizations})) as "isEnterprise"`;

const appFacts = (id: number): RawBuilder<Facts> => sql<Facts>`
  select a.plan = 'enterprise' as "isEnterprise" from app p join account a on a.id = p.owner_id where p.id = ${id}`;

const oauthAppFacts = (id: number): RawBuilder<Facts> => sql<Facts>`
  select a.plan = 'enterprise' as "isEnterprise" from oauth_app p join account a on a.id = p.owner_id where p.id = ${id}`;

/** Counted no further than makes a difference. */
const installationFacts = (id: number): RawBuilder<Facts> => sql<Facts>`
  select a.plan = 'enterprise' as "isEnterprise",
    case i.repository_selection
      when 'all' then (select count(*) from (select 1 from repository where owner_id = a.id limit 200) few)
      else (select count(*) from (select 1 from installation_repository where installation_id = i.id limit 200) few)
    end::int as repositories,
    (select count(*) from (select 1 from membership where organization_id = a.id limit 200) few)::int as people
  from installation i join account a on a.id = i.account_id where i.id = ${id}`;
