import { Redis } from 'ioredis';
import { heard } from '../../errors/heard.ts';
import type { CallerPositions } from './caller-positions.ts';

const raiseScript = `
local known = tonumber(redis.call('get', KEYS[1]) or '0')
if tonumber(ARGV[1]) > known then
  redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
else
  redis.call('pexpire', KEYS[1], ARGV[2])
end
return 0`;

type Commands = { raisePosition(keyCount: number, key: string, position: string, ttlMs: number): Promise<number> };

/**
 * Positions of the callers of all gateways. After a failure nothing is known for `distrustMs`, and no request waits for Redis: until
 * then a replica that is in use has replayed whatever could not be stored meanwhile.
 */
export class RedisPositions implements CallerPositions {
  readonly #redis: Redis & Commands;
  readonly #ttlMs: number;
  readonly #distrustMs: number;
  #distrustedUntil = 0;

  /** `ttlMs`: longer than a replica may lag; `distrustMs`: as long. */
  constructor(url: string, { ttlMs, distrustMs }: { ttlMs: number; distrustMs: number }) {
    this.#ttlMs = ttlMs;
    this.#distrustMs = distrustMs;
    this.#redis = heard(
      new Redis(url, {
        scripts: { raisePosition: { lua: raiseScript } },
        commandTimeout: 250,
        connectTimeout: 2_000,
        maxRetriesPerRequest: 0,
        enableOfflineQueue: false,
        enableAutoPipelining: true,
        retryStrategy: attempt => Math.min(attempt * 200, 5_000),
      }),
    ) as Redis & Commands;
    // Every failed command rejects with the reason. Without a listener ioredis prints errors to the console.
  }

  async find(caller: string): Promise<number | undefined> {
    if (performance.now() < this.#distrustedUntil) return undefined;
    try {
      const position = await this.#redis.get(keyOf(caller));
      return position === null ? undefined : Number(position);
    } catch {
      this.#distrust();
      return undefined;
    }
  }

  async raise(caller: string, position: number): Promise<void> {
    try {
      await this.#redis.raisePosition(1, keyOf(caller), String(position), this.#ttlMs);
    } catch {
      this.#distrust();
    }
  }

  close(): void {
    this.#redis.disconnect();
  }

  #distrust(): void {
    this.#distrustedUntil = performance.now() + this.#distrustMs;
  }
}

/** One key in each command, so that a cluster distributes the callers. */
const keyOf = (caller: string): string => `portico:wal-position:${caller}`;
