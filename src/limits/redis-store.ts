import { Redis } from 'ioredis';
import {
  type AdmissionRequest,
  type AdmissionResult,
  assertValidCharges,
  type ChargeResult,
  type CounterCharge,
  type RateLimitStore,
  type Slot,
  type SlotRelease,
  slotRetryAfterSeconds,
} from './rate-limit-store.ts';
import { chargeScript, releaseScript, renewScript } from './redis-scripts.ts';

/** Hash tag of keys without an owner. One call may use keys of an address and of an account, and a cluster script needs one hash slot. */
const prefix = '{portico}:';

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

  /** `clock` and `keyspace` are for tests; by default the clock of the Redis server is used. */
  constructor(url: string, { clock, keyspace = '' }: { clock?: () => Date; keyspace?: string } = {}) {
    this.#clock = clock;
    this.#keyspace = keyspace;
    this.#redis = new Redis(url, {
      scripts: {
        takeCounts: { lua: chargeScript },
        settleCounts: { lua: releaseScript },
        renewSlot: { lua: renewScript },
      },
      // A rate limit must not delay a request: after a timeout this process decides alone (`FailoverStore`).
      commandTimeout: 250,
      connectTimeout: 2_000,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      retryStrategy: attempt => Math.min(attempt * 200, 5_000),
    }) as Redis & Commands;
    // Every failed command rejects with the reason. Without a listener ioredis prints errors to the console.
    this.#redis.on('error', () => {});
  }

  async charge(charges: readonly CounterCharge[]): Promise<ChargeResult> {
    assertValidCharges(charges);
    if (charges.length === 0) return { ok: true };
    const keys = charges.map(one => this.#key(one.key));
    const answer = await this.#redis.chargeCounters(
      keys.length,
      ...keys,
      this.#now(),
      '',
      0,
      0,
      0,
      ...chargeArguments(charges),
    );
    return chargeResultOf(answer);
  }

  async clear(key: string): Promise<void> {
    await this.#redis.del(this.#key(key));
  }

  async admit({ owner, counts, slot }: AdmissionRequest): Promise<AdmissionResult> {
    assertValidCharges(counts);
    const keys = [...counts, ...(slot ? [slot] : [])].map(({ key }) => this.#ownerKey(owner, key));
    const { id = '', limit = 0, seconds = 0 } = slot ?? {};
    const taking = [this.#now(), id, limit, seconds, slotRetryAfterSeconds];
    const answer = await this.#redis.chargeCounters(keys.length, ...keys, ...taking, ...chargeArguments(counts));
    const standings = counts.map((_, at) => ({ used: answer[2 + 2 * at] ?? 0, ends: answer[3 + 2 * at] ?? 0 }));
    return { ...chargeResultOf(answer), standings };
  }

  async release({ owner, slot, changes }: SlotRelease): Promise<void> {
    const keys = [slot, ...changes].map(({ key }) => this.#ownerKey(owner, key));
    const each = changes.flatMap(({ seconds, by, endsAt = '' }) => [seconds, by, endsAt]);
    await this.#redis.releaseSlot(keys.length, ...keys, this.#now(), slot.id, ...each);
  }

  async renew(owner: string, { key, id, seconds }: Slot): Promise<void> {
    await this.#redis.renewSlot(1, this.#ownerKey(owner, key), this.#now(), id, seconds);
  }

  /** Resolves when the first connection is ready; rejects if it cannot be established. */
  async ready(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    await new Promise<void>((resolve, reject) => {
      this.#redis.once('ready', resolve);
      this.#redis.once('error', reject);
    });
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

function chargeArguments(counts: readonly CounterCharge[]): Argument[] {
  return counts.flatMap(({ limit, seconds, cost = 1, peek, pauses = [] }) => [
    limit,
    seconds,
    peek ? -1 : cost,
    pauses.join(','),
  ]);
}

function chargeResultOf([wait = 0, failed = -1]: number[]): ChargeResult {
  return failed < 0 ? { ok: true } : { ok: false, retryAfter: Math.ceil(wait / 1000), failed };
}
