import DataLoader from 'dataloader';
import type { Kysely } from 'kysely';
import type { Selection } from '../../schema/vocabulary/selection.ts';
import type { Actor } from '../auth/actor.ts';
import type { VerifiedCredentials } from '../auth/credentials/verified-credentials.ts';
import type { Keys } from '../auth/keys.ts';
import type { Tokens } from '../auth/tokens.ts';
import type { Config } from '../config/config.ts';
import type { PublicOrigin } from '../config/public-origin.ts';
import type { ConnectionPool } from '../db/connection-pool.ts';
import type { Database } from '../db/database.ts';
import type { Notices } from '../db/notices.ts';
import type { Read } from '../db/read.ts';
import { LargeValues } from '../limits/large-values.ts';
import type { OperationCost } from '../limits/operation-cost.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import type { Throttle } from '../limits/throttle.ts';

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
  readonly base: string;
  readonly keys: Keys;
  readonly tokens: Tokens;
  readonly throttle: Throttle;
  /** What callers may do at the doors of hosting and of GraphQL; undefined where limits are switched off. */
  readonly limits: RequestLimits | undefined;
  /** What the request has used so far. */
  readonly usage: RequestUsage;
  /** What the request may still load of large values. */
  readonly largeValues: LargeValues;
  /** What the GraphQL operation costs, once it is known; undefined at the other doors. */
  operationCost?: OperationCost;
  /** Whether the operation is a mutation; false until that is known. Decides with the actor which connections are read from. */
  isMutation: boolean;
  /** What this process knows of hosting credentials; a verb that takes something away from one has it forget. */
  readonly credentials: VerifiedCredentials;
  /** Reads without hydration, outside of any transaction: what lists and other hot reads use. */
  readonly read: Read;
  /** What other gateways, and this one, have told through PostgreSQL. */
  readonly notices: Notices;
  /** The same tables by Kysely's own way. */
  readonly sql: Kysely<unknown>;
  /** One write: everything `work` does through `db` is committed together, or nothing is when it throws. */
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
  /** Where the caller wants to see an answer while it is made; undefined where the whole answer is sent at once. */
  readonly live: Live | undefined;
  /** The present, in tests a fixed one. */
  readonly now: Clock;
  /**
   * The loader of this request for `batch` and a selection, which is told apart by identity: reads of one turn of the event
   * loop become one statement.
   */
  load<Id, Value>(batch: Batch<Id, Value>, wanted: Selection): DataLoader<Id, Value>;
}

/** The other end of an answer that is sent as it is made. */
export interface Live {
  /** Sends one event. What `data` is, each operation says. */
  emit(event: string, data: unknown): void;
  /** Aborted when the caller is gone and nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export type Clock = () => Date;

/** What every context of a process is made from. */
export interface ContextSource {
  config: Config;
  database: Database;
  clock: Clock;
  keys: Keys;
  tokens: Tokens;
  throttle: Throttle;
  /** Undefined where limits are switched off. */
  limits?: RequestLimits | undefined;
  credentials: VerifiedCredentials;
  publicOrigin: PublicOrigin;
}

/** What a context knows of some requests. */
interface Details {
  /** A new one when left out. */
  usage?: RequestUsage | undefined;
  /** The origin when left out. */
  base?: string;
  live?: Live | undefined;
  /** Whether the operation is a mutation. */
  isMutation?: boolean;
  /** Bytes of large values that the request may load; that of REST when left out. */
  maxLargeBytes?: number;
}

/** No `#private` fields: Apollo copies the context of an operation, and a copy has none. */
class RequestContext implements Context {
  private readonly source: ContextSource;
  readonly actor: Actor;
  readonly now: Clock;
  readonly origin: string;
  readonly base: string;
  readonly live: Live | undefined;
  readonly usage: RequestUsage;
  readonly largeValues: LargeValues;
  isMutation: boolean;
  operationCost?: OperationCost;
  private reader: { pool: ConnectionPool; read: Read } | undefined;
  private loaders: Map<unknown, Map<Selection, unknown>> | undefined;

  constructor(
    source: ContextSource,
    actor: Actor,
    origin: string,
    { base = origin, live, usage, isMutation, maxLargeBytes }: Details,
  ) {
    this.source = source;
    this.actor = actor;
    this.now = source.clock;
    this.origin = origin;
    this.base = base;
    this.live = live;
    this.usage = usage ?? new RequestUsage();
    this.isMutation = isMutation ?? false;
    this.largeValues = new LargeValues(maxLargeBytes);
  }

  get config(): Config {
    return this.source.config;
  }

  get publicOrigin(): string {
    return this.source.publicOrigin.value;
  }

  get keys(): Keys {
    return this.source.keys;
  }

  get tokens(): Tokens {
    return this.source.tokens;
  }

  get throttle(): Throttle {
    return this.source.throttle;
  }

  get limits(): RequestLimits | undefined {
    return this.source.limits;
  }

  get credentials(): VerifiedCredentials {
    return this.source.credentials;
  }

  get read(): Read {
    const pool = this.pool();
    if (this.reader?.pool !== pool) this.reader = { pool, read: pool.reader(this.usage) };
    return this.reader.read;
  }

  get notices(): Notices {
    return this.source.database.notices;
  }

  get sql(): Kysely<unknown> {
    return this.pool().kysely(this.usage);
  }

  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
    return this.source.database.pools.write.transaction(work, this.usage);
  }

  /**
   * Connections that this request reads from. Who is logging in is still anonymous, and must not wait behind anonymous reads:
   * the reads of anonymous mutations are look-ups by a key, as those of credentials are.
   */
  private pool(): ConnectionPool {
    const { anonymous, signedIn, authentication } = this.source.database.pools;
    if (this.actor.kind !== 'anonymous') return signedIn;
    return this.isMutation ? authentication : anonymous;
  }

  load<Id, Value>(batch: Batch<Id, Value>, wanted: Selection): DataLoader<Id, Value> {
    this.loaders ??= new Map();
    const ofBatch = this.loaders.get(batch) ?? new Map<Selection, unknown>();
    this.loaders.set(batch, ofBatch);
    let loader = ofBatch.get(wanted) as DataLoader<Id, Value> | undefined;
    if (!loader) {
      loader = new DataLoader<Id, Value>(ids => batch(this, ids, wanted));
      ofBatch.set(wanted, loader);
    }
    return loader;
  }
}

/** The context of one request. */
export function contextFor(source: ContextSource, actor: Actor, origin: string, details: Details = {}): Context {
  return new RequestContext(source, actor, origin, details);
}

/** What work outside of requests may use: there is nobody to throttle and no token to look at. */
export type WorkContext = Omit<Context, 'tokens' | 'throttle' | 'credentials'>;

/** The context of work that is done for `actor` outside of any request: its links have the public origin. */
export function contextOfWork(
  source: Pick<ContextSource, 'config' | 'database' | 'clock' | 'keys' | 'publicOrigin'>,
  actor: Actor,
): WorkContext {
  return new RequestContext(source as ContextSource, actor, source.publicOrigin.value, {});
}
