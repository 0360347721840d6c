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

/** One hash slot for what has no owner: a call may mix keys of an address and of an account, and a cluster takes no such script else. */
const prefix = '{portico}:';

type Argument = string | number;
interface Commands {
  chargeCounters(keyCount: number, ...args: Argument[]): Promise<number[]>;
  releaseSlot(keyCount: number, ...args: Argument[]): Promise<number>;
  renewSlot(keyCount: number, ...args: Argument[]): Promise<number>;
}

/** Counts that all gateways of an installation share. Rejects when Redis is away, refuses to write or is slow. */
export class RedisRateLimitStore implements RateLimitStore {
  readonly #redis: Redis & Commands;
  readonly #clock: (() => Date) | undefined;
  readonly #keyspace: string;

  /** `clock` and `keyspace` are for tests; without them the time is the server's, and the keys are the installation's. */
  constructor(url: string, { clock, keyspace = '' }: { clock?: () => Date; keyspace?: string } = {}) {
    this.#clock = clock;
    this.#keyspace = keyspace;
    this.#redis = new Redis(url, {
      scripts: {
        takeCounts: { lua: chargeScript },
        settleCounts: { lua: releaseScript },
        renewSlot: { lua: renewScript },
      },
      // A limit is not worth a wait: what takes longer is decided by this process alone.
      commandTimeout: 250,
      connectTimeout: 2_000,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      retryStrategy: attempt => Math.min(attempt * 200, 5_000),
    }) as Redis & Commands;
    // Each command that fails says why; without a listener the client prints to the console.
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

  /** Resolves when the first connection stands; rejects when it cannot be made. */
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

  /** All keys of one owner are in one hash slot, and the owners spread over the machines of a cluster. */
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
