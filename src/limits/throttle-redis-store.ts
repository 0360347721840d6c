import { Redis } from 'ioredis';
import { renewScript, settleScript, takeScript } from './throttle-redis-scripts.ts';
import {
  type Admitted,
  type Counted,
  type Demand,
  demandSense,
  type Settlement,
  type Slot,
  slotPatience,
  type Taken,
  type ThrottleStore,
} from './throttle-store.ts';

/** One hash slot for what has no owner: a call may mix keys of an address and of an account, and a cluster takes no such script else. */
const prefix = '{portico}:';

type Argument = string | number;
interface Commands {
  takeCounts(keyCount: number, ...args: Argument[]): Promise<number[]>;
  settleCounts(keyCount: number, ...args: Argument[]): Promise<number>;
  renewSlot(keyCount: number, ...args: Argument[]): Promise<number>;
}

/** Counts that all gateways of an installation share. Rejects when Redis is away, refuses to write or is slow. */
export class RedisThrottleStore implements ThrottleStore {
  readonly #redis: Redis & Commands;
  readonly #clock: (() => Date) | undefined;
  readonly #keyspace: string;

  /** `clock` and `keyspace` are for tests; without them the time is the server's, and the keys are the installation's. */
  constructor(url: string, { clock, keyspace = '' }: { clock?: () => Date; keyspace?: string } = {}) {
    this.#clock = clock;
    this.#keyspace = keyspace;
    this.#redis = new Redis(url, {
      scripts: {
        takeCounts: { lua: takeScript },
        settleCounts: { lua: settleScript },
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

  async take(wanted: readonly Counted[]): Promise<Taken> {
    demandSense(wanted);
    if (wanted.length === 0) return { ok: true };
    const keys = wanted.map(one => this.#key(one.key));
    const answer = await this.#redis.takeCounts(keys.length, ...keys, this.#now(), '', 0, 0, 0, ...argumentsOf(wanted));
    return takenOf(answer);
  }

  async clear(key: string): Promise<void> {
    await this.#redis.del(this.#key(key));
  }

  async admit({ owner, counts, slot }: Demand): Promise<Admitted> {
    demandSense(counts);
    const keys = [...counts, ...(slot ? [slot] : [])].map(({ key }) => this.#keyOf(owner, key));
    const { id = '', limit = 0, seconds = 0 } = slot ?? {};
    const taking = [this.#now(), id, limit, seconds, slotPatience];
    const answer = await this.#redis.takeCounts(keys.length, ...keys, ...taking, ...argumentsOf(counts));
    const standings = counts.map((_, at) => ({ used: answer[2 + 2 * at] ?? 0, ends: answer[3 + 2 * at] ?? 0 }));
    return { ...takenOf(answer), standings };
  }

  async settle({ owner, slot, changes }: Settlement): Promise<void> {
    const keys = [slot, ...changes].map(({ key }) => this.#keyOf(owner, key));
    const each = changes.flatMap(({ seconds, by, ends = '' }) => [seconds, by, ends]);
    await this.#redis.settleCounts(keys.length, ...keys, this.#now(), slot.id, ...each);
  }

  async renew(owner: string, { key, id, seconds }: Slot): Promise<void> {
    await this.#redis.renewSlot(1, this.#keyOf(owner, key), this.#now(), id, seconds);
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
  #keyOf(owner: string, key: string): string {
    return `{portico ${this.#keyspace}${owner}}:${key}`;
  }
}

function argumentsOf(counts: readonly Counted[]): Argument[] {
  return counts.flatMap(({ limit, seconds, cost = 1, look, pauses = [] }) => [
    limit,
    seconds,
    look ? -1 : cost,
    pauses.join(','),
  ]);
}

function takenOf([wait = 0, failed = -1]: number[]): Taken {
  return failed < 0 ? { ok: true } : { ok: false, retryAfter: Math.ceil(wait / 1000), failed };
}
