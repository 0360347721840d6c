import DataLoader from 'dataloader';
import type { Kysely } from 'kysely';
import type { Actor } from '../auth/actor.ts';
import type { CredentialStore } from '../auth/credentials/credential-store.ts';
import type { DerivedKeys } from '../auth/derived-keys.ts';
import type { SessionTokens } from '../auth/session-tokens.ts';
import type { Config } from '../config/config.ts';
import type { PublicOrigin } from '../config/public-origin.ts';
import type { ConnectionPool } from '../db/connection-pool.ts';
import type { Database } from '../db/database.ts';
import type { Notifications } from '../db/notifications.ts';
import type { Read } from '../db/read.ts';
import type { Selection } from '../db/selection.ts';
import { LargeValues } from '../limits/large-values.ts';
import type { OperationCost } from '../limits/operation-cost.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { RequestLimiter } from '../limits/request-limiter.ts';
import { RequestUsage } from '../limits/request-usage.ts';

/**
 * Reads what is selected of the values of many keys in one statement, in the order of the keys. An error fails the field of
 * its key alone.
 */
type Batch<Id, Value> = (context: Context, ids: readonly Id[], wanted: Selection) => Promise<(Value | Error)[]>;

/** What one request may use. Verbs take the slice they need: `Pick<Context, 'sql' | 'now'>`. */
export interface Context {
  readonly actor: Actor;
  readonly config: Config;
  /** Origin that the caller asked, such as https://api.example.org: for links in the answer and for nothing that is kept or sent on. */
  readonly origin: string;
  /** Origin of the installation: for mails, payloads and all else that others than the caller get. See `PublicOrigin`. */
  readonly publicOrigin: string;
  /** Address that the paths of the asked API stand under: the origin, or with `/api/v3` where that was asked. */
  readonly apiBaseUrl: string;
  readonly keys: DerivedKeys;
  readonly tokens: SessionTokens;
  readonly rateLimiter: RateLimiter;
  /** What callers may do at the doors of hosting and of GraphQL; undefined where limits are switched off. */
  readonly requestLimiter: RequestLimiter | undefined;
  /** What the request has used so far. */
  readonly usage: RequestUsage;
  /** What the request may still load of large values. */
  readonly largeValues: LargeValues;
  /** What the GraphQL operation costs, once it is known; undefined at the other doors. */
  operationCost?: OperationCost;
  /** Whether the operation is a mutation; false until that is known. Decides with the actor which connections are read from. */
  isMutation: boolean;
  /** What this process knows of hosting credentials; a verb that takes something away from one has it forget. */
  readonly credentials: CredentialStore;
  /** Reads without hydration, outside of any transaction: what lists and other hot reads use. */
  readonly read: Read;
  /** What other gateways, and this one, have told through PostgreSQL. */
  readonly notifications: Notifications;
  /** The same tables by Kysely's own way. */
  readonly sql: Kysely<unknown>;
  /** One write: everything `work` does through `db` is committed together, or nothing is when it throws. */
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
  /** Where the caller wants to see an answer while it is made; undefined where the whole answer is sent at once. */
  readonly eventStream: EventStream | undefined;
  /** The present, in tests a fixed one. */
  readonly now: Clock;
  /**
   * The loader of this request for `batch` and a selection, which is told apart by identity: reads of one turn of the event
   * loop become one statement.
   */
  load<Id, Value>(batch: Batch<Id, Value>, selection: Selection): DataLoader<Id, Value>;
}

/** The other end of an answer that is sent as it is made. */
export interface EventStream {
  /** Sends one event. What `data` is, each operation says. */
  emit(event: string, data: unknown): void;
  /** Aborted when the caller is gone and nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type Clock = () => Date;

/** What every context of a process is made from. */
export interface ContextDependencies {
  config: Config;
  database: Database;
  clock: Clock;
  keys: DerivedKeys;
  tokens: SessionTokens;
  throttle: RateLimiter;
  /** Undefined where limits are switched off. */
  limits?: RequestLimiter | undefined;
  credentials: CredentialStore;
  publicOrigin: PublicOrigin;
}

/** What a context knows of some requests. */
interface ContextOptions {
  /** A new one when left out. */
  usage?: RequestUsage | undefined;
  /** The origin when left out. */
  apiBaseUrl?: string;
  eventStream?: EventStream | undefined;
  /** Whether the operation is a mutation. */
  isMutation?: boolean;
  /** Bytes of large values that the request may load; that of REST when left out. */
  maxLargeBytes?: number;
}

/** No `#private` fields: Apollo copies the context of an operation, and a copy has none. */
class RequestContext implements Context {
  private readonly dependencies: ContextDependencies;
  readonly actor: Actor;
  readonly now: Clock;
  readonly origin: string;
  readonly apiBaseUrl: string;
  readonly eventStream: EventStream | undefined;
  readonly usage: RequestUsage;
  readonly largeValues: LargeValues;
  isMutation: boolean;
  operationCost?: OperationCost;
  private reader: { pool: ConnectionPool; read: Read } | undefined;
  private loaders: Map<unknown, Map<Selection, unknown>> | undefined;

  constructor(
    dependencies: ContextDependencies,
    actor: Actor,
    origin: string,
    { apiBaseUrl = origin, eventStream, usage, isMutation, maxLargeBytes }: ContextOptions,
  ) {
    this.dependencies = dependencies;
    this.actor = actor;
    this.now = dependencies.clock;
    this.origin = origin;
    this.apiBaseUrl = apiBaseUrl;
    this.eventStream = eventStream;
    this.usage = usage ?? new RequestUsage();
    this.isMutation = isMutation ?? false;
    this.largeValues = new LargeValues(maxLargeBytes);
  }

  get config(): Config {
    return this.dependencies.config;
  }

  get publicOrigin(): string {
    return this.dependencies.publicOrigin.value;
  }

  get keys(): DerivedKeys {
    return this.dependencies.keys;
  }

  get tokens(): SessionTokens {
    return this.dependencies.tokens;
  }

  get rateLimiter(): RateLimiter {
    return this.dependencies.throttle;
  }

  get requestLimiter(): RequestLimiter | undefined {
    return this.dependencies.limits;
  }

  get credentials(): CredentialStore {
    return this.dependencies.credentials;
  }

  get read(): Read {
    const pool = this.pool();
    if (this.reader?.pool !== pool) this.reader = { pool, read: pool.reader(this.usage) };
    return this.reader.read;
  }

  get notifications(): Notifications {
    return this.dependencies.database.notifications;
  }

  get sql(): Kysely<unknown> {
    return this.pool().kysely(this.usage);
  }

  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
    return this.dependencies.database.pools.write.transaction(work, this.usage);
  }

  /**
   * Connections that this request reads from. Who is logging in is still anonymous, and must not wait behind anonymous reads:
   * the reads of anonymous mutations are look-ups by a key, as those of credentials are.
   */
  private pool(): ConnectionPool {
    const { anonymous, signedIn, authentication } = this.dependencies.database.pools;
    if (this.actor.kind !== 'anonymous') return signedIn;
    return this.isMutation ? authentication : anonymous;
  }

  load<Id, Value>(batch: Batch<Id, Value>, selection: Selection): DataLoader<Id, Value> {
    this.loaders ??= new Map();
    const loadersOfBatch = this.loaders.get(batch) ?? new Map<Selection, unknown>();
    this.loaders.set(batch, loadersOfBatch);
    let loader = loadersOfBatch.get(selection) as DataLoader<Id, Value> | undefined;
    if (!loader) {
      loader = new DataLoader<Id, Value>(ids => batch(this, ids, selection));
      loadersOfBatch.set(selection, loader);
    }
    return loader;
  }
}

/** The context of one request. */
export function createContext(
  source: ContextDependencies,
  actor: Actor,
  origin: string,
  details: ContextOptions = {},
): Context {
  return new RequestContext(source, actor, origin, details);
}

/** What work outside of requests may use: there is nobody to throttle and no token to look at. */
export type BackgroundContext = Omit<Context, 'tokens' | 'rateLimiter' | 'credentials'>;

/** The context of work that is done for `actor` outside of any request: its links have the public origin. */
export function createBackgroundContext(
  source: Pick<ContextDependencies, 'config' | 'database' | 'clock' | 'keys' | 'publicOrigin'>,
  actor: Actor,
): BackgroundContext {
  return new RequestContext(source as ContextDependencies, actor, source.publicOrigin.value, {});
}
