import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { heard } from '../errors/heard.ts';
import {
  type AdmissionRequest,
  type AdmissionResult,
  assertValidCharges,
  type ChargeResult,
  type CounterChange,
  type CounterCharge,
  type RateLimitStore,
  type Slot,
  type SlotRelease,
  slotRetryAfterSeconds,
} from './rate-limit-store.ts';
import { chargeScript, releaseScript, renewScript } from './redis-scripts.ts';

/** Hash tag of keys without an owner. One call may use keys of an address and of an account, and a cluster script needs one hash slot. */
const prefix = '{portico}:';

const connectTimeoutMs = 2_000;

type Argument = string | number;
interface Commands {
  chargeCounters(keyCount: number, ...args: Argument[]): Promise<number[]>;
  releaseSlot(keyCount: number, ...args: Argument[]): Promise<number>;
  renewSlot(keyCount: number, ...args: Argument[]): Promise<number>;
}

/** Counters and slots shared by all gateways of an installation. Rejects if Redis is unreachable, read-only or slow. */
export class RedisRateLimitStore implements RateLimitStore {
  readonly #redis: Redis & Commands;
  readonly #clock: (() => Date) | undefined;
  readonly #keyspace: string;

  /**
   * `onDisconnect` is called when the connection ends, as it does when the server restarts and loses its counters. `clock` and
   * `keyspace` are for tests; by default the clock of the Redis server is used.
   */
  constructor(
    url: string,
    { clock, keyspace = '', onDisconnect }: { clock?: () => Date; keyspace?: string; onDisconnect?: () => void } = {},
  ) {
    this.#clock = clock;
    this.#keyspace = keyspace;
    this.#redis = heard(
      new Redis(url, {
        scripts: {
          chargeCounters: { lua: chargeScript },
          releaseSlot: { lua: releaseScript },
          renewSlot: { lua: renewScript },
        } satisfies Record<keyof Commands, { lua: string }>,
        // A rate limit must not delay a request: after a timeout this process decides alone (`FailoverStore`).
        commandTimeout: 250,
        connectTimeout: connectTimeoutMs,
        maxRetriesPerRequest: 0,
        enableOfflineQueue: false,
        retryStrategy: attempt => Math.min(attempt * 200, 5_000),
      }),
    ) as Redis & Commands;
    // Every failed command rejects with the reason. Without a listener ioredis prints errors to the console.
    if (onDisconnect) this.#redis.on('close', onDisconnect);
  }

  async charge(charges: readonly CounterCharge[]): Promise<ChargeResult> {
    assertValidCharges(charges);
    if (charges.length === 0) return { ok: true };
    const keys = charges.map(one => this.#key(one.key));
    const taking = [this.#now(), '', 0, 0, 0];
    // biome-ignore lint/plugin/spread-arguments: ioredis takes keys one by one; a request charges some twenty counters
    const reply = await this.#redis.chargeCounters(keys.length, ...keys, ...taking, ...chargeArguments(charges));
    return chargeResultOf(reply);
  }

  async clear(key: string): Promise<void> {
    await this.#redis.del(this.#key(key));
  }

  async admit({ owner, charges, slot }: AdmissionRequest): Promise<AdmissionResult> {
    assertValidCharges(charges);
    const keys = [...charges, ...(slot ? [slot] : [])].map(({ key }) => this.#ownerKey(owner, key));
    const { id = '', limit = 0, seconds = 0 } = slot ?? {};
    const taking = [this.#now(), id, limit, seconds, slotRetryAfterSeconds];
    // biome-ignore lint/plugin/spread-arguments: ioredis takes keys one by one; a request charges some twenty counters
    const reply = await this.#redis.chargeCounters(keys.length, ...keys, ...taking, ...chargeArguments(charges));
    const states = charges.map((_, at) => ({ used: reply[2 + 2 * at] ?? 0, endsAt: reply[3 + 2 * at] ?? 0 }));
    return { ...chargeResultOf(reply), states };
  }

  /** The slot of no request is not held by anybody. */
  change(owner: string, changes: readonly CounterChange[]): Promise<void> {
    return this.release({ owner, slot: { key: 'none', id: '', limit: 0, seconds: 0 }, changes });
  }

  async release({ owner, slot, changes }: SlotRelease): Promise<void> {
    const keys = [slot, ...changes].map(({ key }) => this.#ownerKey(owner, key));
    const each = changes.flatMap(({ seconds, amount, endsAt = '' }) => [seconds, amount, endsAt]);
    // biome-ignore lint/plugin/spread-arguments: as in `admit`
    await this.#redis.releaseSlot(keys.length, ...keys, this.#now(), slot.id, ...each);
  }

  async renew(owner: string, { key, id, seconds }: Slot): Promise<void> {
    await this.#redis.renewSlot(1, this.#ownerKey(owner, key), this.#now(), id, seconds);
  }

  /** Resolves when the first connection is ready. @throws Error when it is refused, or not ready within 2 seconds */
  async ready(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    const settled = new AbortController();
    await new Promise<void>((resolve, reject) => {
      this.#redis.once('ready', resolve);
      this.#redis.once('error', reject);
      // A server that accepts the connection and never answers raises no error.
      const late = (): void => reject(new Error('Redis did not answer in time.'));
      delay(connectTimeoutMs, undefined, { signal: settled.signal }).then(late, () => {});
    }).finally(() => settled.abort());
  }

  close(): void {
    this.#redis.disconnect();
  }

  #now(): Argument {
    return this.#clock ? this.#clock().getTime() : '';
  }

  #key(key: string): string {
    return `${prefix}${this.#keyspace}${key}`;
  }

  /** All keys of one owner are in one hash slot; owners are distributed over the nodes of a cluster. */
  #ownerKey(owner: string, key: string): string {
    return `{portico ${this.#keyspace}${owner}}:${key}`;
  }
}

function chargeArguments(charges: readonly CounterCharge[]): Argument[] {
  return charges.flatMap(({ limit, seconds, cost = 1, peek, lockoutSeconds = [] }) => [
    limit,
    seconds,
    peek ? -1 : cost,
    lockoutSeconds.join(','),
  ]);
}

function chargeResultOf([waitMs = 0, failedIndex = -1]: number[]): ChargeResult {
  return failedIndex < 0 ? { ok: true } : { ok: false, retryAfter: Math.ceil(waitMs / 1000), failedIndex };
}
