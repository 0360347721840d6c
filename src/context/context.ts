import DataLoader from 'dataloader';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Actor } from '../auth/actor.ts';
import type { CredentialStore } from '../auth/credentials/credential-store.ts';
import type { DerivedKeys } from '../auth/derived-keys.ts';
import { deviceName } from '../auth/device-name.ts';
import type { SessionTokens } from '../auth/session-tokens.ts';
import type { Config } from '../config/config.ts';
import type { PublicOrigin } from '../config/public-origin.ts';
import type { ConnectionPool } from '../db/connection-pool.ts';
import type { Database } from '../db/database.ts';
import type { Notifications } from '../db/notifications.ts';
import type { Pipeline } from '../db/pipeline.ts';
import type { Read } from '../db/read.ts';
import type { Replica } from '../db/replicas/replica.ts';
import type { ReplicaSession } from '../db/replicas/replica-session.ts';
import { replicatedRead } from '../db/replicas/replicated-read.ts';
import type { Selection } from '../db/selection.ts';
import type { WriteDeadline } from '../db/write-deadline.ts';
import { ownerOf } from '../limits/caller-quotas.ts';
import { type BeginLarge, LargeValues } from '../limits/large-values.ts';
import type { OperationCost } from '../limits/operation-cost.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import type { Isolation } from '../workers/computation.ts';
import { type IsolatedWork, jobCaller, requestQueue, type WorkCaller } from '../workers/isolated-work.ts';
import { WorkBudget, type WorkEnd } from '../workers/work-budget.ts';
import { QueryEnd, type RequestEnd } from './request-end.ts';
import { requestWorkLimits } from './request-work-limits.ts';

/**
 * Reads the selected fields of many keys in one statement, in the order of the keys. An Error fails the field of its key only.
 */
export type Batch<Id, Value> = (context: Context, ids: readonly Id[], wanted: Selection) => Promise<(Value | Error)[]>;

/** Everything one request may use. Functions declare the part they need: `Pick<Context, 'sql' | 'now'>`. */
export interface Context {
  readonly actor: Actor;
  readonly config: Config;
  /** Origin of the request, such as https://api.example.org: only for links in the response. */
  readonly origin: string;
  /** Origin of the installation: for mails, payloads and everything else that leaves the request. See `PublicOrigin`. */
  readonly publicOrigin: string;
  /** Name of the browser or program that sent the request: see `deviceName`. */
  readonly device: string;
  /** Base URL of the API that was called: the origin, or with `/api/v3` if the request used it. */
  readonly apiBaseUrl: string;
  readonly keys: DerivedKeys;
  readonly tokens: SessionTokens;
  /** All rate limits of this process. */
  readonly rateLimiter: RateLimiter;
  /** Database time and bytes of this request so far. */
  readonly usage: RequestUsage;
  /** Remaining bytes of large values. */
  readonly largeValues: LargeValues;
  /** What this request may still spend on work over the data of users; of a subscription: the current event. */
  readonly workBudget: WorkBudget;
  /** Where heavy computations of this caller run; undefined: in this process. */
  readonly isolation: Isolation | undefined;
  /** Cost of the GraphQL operation once it is known; undefined at other entry points. */
  operationCost?: OperationCost;
  /** Organizations whose rows a list has omitted because they enforce single sign-on; response headers name them. */
  readonly omittedOrganizations: Set<number>;
  /**
   * Whether the operation is a mutation; undefined until it is known. Selects the connection pool together with the actor. Only what is
   * known to be a query may be read from a replica.
   */
  isMutation: boolean | undefined;
  /** Verified hosting credentials of this process; a write function that restricts a credential invalidates it. */
  readonly credentials: CredentialStore;
  /** Reads rows as plain objects, outside of a transaction. In a query perhaps on a replica: `sql` is for statements that write. */
  readonly read: Read;
  /** Reads many rows on a replica that has all that this request has read on the primary, or on the primary. */
  readCaughtUp(): Promise<Read>;
  /** PostgreSQL notifications (LISTEN/NOTIFY) from all gateways. */
  readonly notifications: Notifications;
  /** Kysely, outside of a transaction, on the primary. */
  readonly sql: Kysely<unknown>;
  /** The time limit of this request, for jobs that share a transaction; undefined if it has none. */
  readonly deadline?: WriteDeadline | undefined;
  /** Runs `work` in one transaction: commits, or rolls back if it throws or the time limit of the request has passed. */
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
  /**
   * Has `check` run in every transaction of this request until one is committed, before its work and under a lock that excludes other
   * transactions with the same `key`. What `check` reads by `read` is read on the connection of the transaction; if it rejects, the
   * transaction is rolled back. Pipelines do not run it.
   */
  checkInTransaction(key: string, check: () => Promise<void>): void;
  /**
   * Has the statement run in every transaction of this request until one is committed, before its work. Pipelines run it too. It says in
   * the database that the request has written something.
   */
  recordInTransaction(statement: () => RawBuilder<unknown>): void;
  /** Whether the next transaction runs a check or a record; other requests must not share it. */
  readonly hasCheck: boolean;
  /** Runs statements in one transaction and one round trip, for rows that many callers write. See `runPipeline`. */
  readonly pipeline: Pipeline;
  /** To be called after a group commit: the transaction of another request has stored what this one wrote. */
  recordGroupCommit(): Promise<void>;
  /** The replica that `read` reads; undefined for the primary. */
  replica(): Promise<Replica | undefined>;
  /** Whether reads have their side effects, such as marking as read: not for HEAD. */
  readonly appliesReadEffects: boolean;
  /** Event stream of the response; undefined if the response is sent as a whole. */
  readonly eventStream: EventStream | undefined;
  /** Current time; fixed in tests. */
  readonly now: Clock;
  /**
   * The DataLoader of this request for a batch function and a selection (compared by identity): keys loaded in one turn of the
   * event loop are one statement.
   */
  load<Id, Value>(batch: Batch<Id, Value>, selection: Selection): DataLoader<Id, Value>;
  /** Drops all DataLoaders. */
  forgetLoaded(): void;
  /** Drops all DataLoaders and renews the work budget: a subscription has one context for all of its events. */
  beginEvent(): void;
}

/** A response that is sent as server-sent events. */
export interface EventStream {
  /** Sends one event. The operation defines `data`. */
  emit(event: string, data: unknown): void;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export type Clock = () => Date;

/** Process-wide objects that every context uses. */
export interface ContextDependencies {
  config: Config;
  database: Database;
  clock: Clock;
  keys: DerivedKeys;
  tokens: SessionTokens;
  rateLimiter: RateLimiter;
  credentials: CredentialStore;
  publicOrigin: PublicOrigin;
  /** Absent where everything runs in this process. */
  isolatedWork?: IsolatedWork | undefined;
}

/** Options of a context that depend on the entry point. */
interface ContextOptions {
  /** Header of the request; none by default. */
  userAgent?: string | undefined;
  /** A new one by default. */
  usage?: RequestUsage | undefined;
  /** The origin by default. */
  apiBaseUrl?: string;
  eventStream?: EventStream | undefined;
  /** Whether the operation is a mutation. */
  isMutation?: boolean;
  /** None by default. */
  deadline?: WriteDeadline | undefined;
  /** Ends the work of a query; a mutation is done when it has begun. */
  end?: RequestEnd | undefined;
  /** Maximum bytes of large values; that of REST by default. */
  maxLargeBytes?: number;
  /** True by default. */
  appliesReadEffects?: boolean;
  /** At once by default. */
  beginLarge?: BeginLarge | undefined;
  /** Whether a job works, which waits for requests in the queue of heavy work. */
  isJob?: boolean;
}

/** No `#private` fields: a copy of the properties of a context lacks them. */
class RequestContext implements Context {
  private readonly dependencies: ContextDependencies;
  readonly actor: Actor;
  readonly now: Clock;
  readonly origin: string;
  readonly apiBaseUrl: string;
  readonly eventStream: EventStream | undefined;
  readonly usage: RequestUsage;
  readonly largeValues: LargeValues;
  readonly deadline: WriteDeadline | undefined;
  private readonly end: AbortSignal | WorkEnd | undefined;
  readonly appliesReadEffects: boolean;
  readonly omittedOrganizations = new Set<number>();
  readonly isolation: Isolation | undefined;
  isMutation: boolean | undefined;
  workBudget: WorkBudget;
  private readonly session: ReplicaSession | undefined;
  private readonly userAgent: string | undefined;
  operationCost?: OperationCost;
  private reader: { pool: ConnectionPool; read: Read } | undefined;
  private record: (() => RawBuilder<unknown>) | undefined;
  private check: { key: string; run: () => Promise<void> } | undefined;
  /** Reads on the connection of a transaction while its check runs. */
  private transactionRead: Read | undefined;
  private loaders: Map<unknown, Map<Selection, unknown>> | undefined;

  constructor(dependencies: ContextDependencies, actor: Actor, origin: string, options: ContextOptions) {
    const { apiBaseUrl = origin, eventStream, usage, isMutation, deadline, isJob = false } = options;
    this.dependencies = dependencies;
    this.actor = actor;
    this.now = dependencies.clock;
    this.origin = origin;
    this.apiBaseUrl = apiBaseUrl;
    this.userAgent = options.userAgent;
    this.appliesReadEffects = options.appliesReadEffects ?? true;
    this.eventStream = eventStream;
    this.usage = usage ?? new RequestUsage();
    this.isMutation = isMutation;
    this.session = dependencies.database.replicas?.session(ownerOf(actor).owner, {
      isKnown: actor.kind !== 'anonymous',
    });
    this.deadline = deadline;
    this.largeValues = new LargeValues(options.maxLargeBytes, options.beginLarge);
    this.end = eventStream?.signal ?? (options.end && new QueryEnd(this, options.end));
    this.workBudget = this.newWorkBudget();
    this.isolation = dependencies.isolatedWork?.for(isJob ? jobCaller : this.workCaller());
  }

  private workCaller(): WorkCaller {
    return {
      key: ownerOf(this.actor).owner,
      limits: requestQueue,
      deadlineMs: this.config.WORK_TIMEOUT_MS,
      charge: cpuMicroseconds => {
        this.usage.childCpuMicroseconds += cpuMicroseconds;
      },
    };
  }

  get device(): string {
    return deviceName(this.userAgent);
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
    return this.dependencies.rateLimiter;
  }

  get credentials(): CredentialStore {
    return this.dependencies.credentials;
  }

  get read(): Read {
    if (this.transactionRead) return this.transactionRead;
    const pool = this.pool();
    if (this.reader?.pool !== pool) this.reader = { pool, read: this.readerOf(pool) };
    return this.reader.read;
  }

  private readerOf(primary: ConnectionPool, replica = () => this.replica()): Read {
    const { session, usage, actor } = this;
    if (!session) return primary.reader(usage);
    const poolName = actor.kind === 'anonymous' ? 'anonymous' : 'signedIn';
    return replicatedRead({ session, replica, poolName, primary, usage });
  }

  async replica(): Promise<Replica | undefined> {
    return this.isMutation === false ? this.session?.replica() : undefined;
  }

  async readCaughtUp(): Promise<Read> {
    const { session } = this;
    const replica = await session?.caughtUpReplica();
    if (!session || !replica) return this.read;
    return this.readerOf(this.pool(), async () => (session.keeps(replica) ? replica : undefined));
  }

  get notifications(): Notifications {
    return this.dependencies.database.notifications;
  }

  get sql(): Kysely<unknown> {
    return this.pool().kysely(this.usage, this.session?.onCommit);
  }

  async transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
    const { check, record } = this;
    const { write } = this.dependencies.database.pools;
    const onCommit = this.session?.onCommit;
    if (!this.hasCheck) return write.transaction(work, this.usage, this.deadline, onCommit);
    const checkedWork = async (db: Kysely<unknown>): Promise<T> => {
      if (check) await this.runCheck(db, check);
      await record?.().execute(db);
      return work(db);
    };
    const result = await write.transaction(checkedWork, this.usage, this.deadline, onCommit);
    this.check = undefined;
    this.record = undefined;
    return result;
  }

  get hasCheck(): boolean {
    return this.check !== undefined || this.record !== undefined;
  }

  recordInTransaction(statement: () => RawBuilder<unknown>): void {
    this.record = statement;
  }

  checkInTransaction(key: string, run: () => Promise<void>): void {
    this.check = { key, run };
  }

  private async runCheck(db: Kysely<unknown>, { key, run }: { key: string; run: () => Promise<void> }): Promise<void> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`check of ${key}`}, 0))`.execute(db);
    const { database } = this.read;
    const read = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => (await query.execute(db)).rows;
    this.transactionRead = Object.assign(read, database && { database });
    this.forgetLoaded();
    try {
      await run();
    } finally {
      this.transactionRead = undefined;
      this.forgetLoaded();
    }
  }

  get pipeline(): Pipeline {
    const { record } = this;
    const run = this.dependencies.database.pools.write.pipeline(this.usage, this.deadline, this.session?.onCommit);
    if (!record) return run;
    return async statements => {
      const [, ...rows] = await run([record(), ...statements]);
      this.record = undefined;
      return rows as never;
    };
  }

  async recordGroupCommit(): Promise<void> {
    await this.session?.recordGroupCommit();
  }

  /**
   * Connections for reads of this request. A caller that logs in is still anonymous and must not wait behind anonymous reads:
   * reads of anonymous mutations are key lookups, like those of credentials.
   */
  private pool(): ConnectionPool {
    const { anonymous, signedIn, authentication } = this.dependencies.database.pools;
    if (this.actor.kind !== 'anonymous') return signedIn;
    return this.isMutation ? authentication : anonymous;
  }

  forgetLoaded(): void {
    this.loaders = undefined;
  }

  beginEvent(): void {
    this.forgetLoaded();
    this.workBudget = this.newWorkBudget();
  }

  private newWorkBudget(): WorkBudget {
    return new WorkBudget(requestWorkLimits(this.config), this.end);
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

/** Creates the context of one request. */
export function createContext(
  source: ContextDependencies,
  actor: Actor,
  origin: string,
  details: ContextOptions = {},
): Context {
  return new RequestContext(source, actor, origin, details);
}

/** Context of background jobs: without rate limits and credentials. */
export type BackgroundContext = Omit<Context, 'tokens' | 'rateLimiter' | 'credentials'>;

/** Creates the context of a job that runs for `actor`. Its links use the public origin. */
export function createBackgroundContext(
  source: Pick<ContextDependencies, 'config' | 'database' | 'clock' | 'keys' | 'publicOrigin' | 'isolatedWork'>,
  actor: Actor,
): BackgroundContext {
  return new RequestContext(source as ContextDependencies, actor, source.publicOrigin.value, { isJob: true });
}
