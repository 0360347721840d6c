import { Redis } from 'ioredis';
import { type Counted, demandSense, type Taken, type ThrottleStore } from './throttle-store.ts';

/**
 * Decides over all counts of a call and charges them, or none. A count is a hash: `u` used, `e` when it ends, and where there
 * are pauses `p` until when it is paused and `n` how many there were; times in milliseconds. It goes by itself when it has
 * ended. The clock is that of the server, so that gateways whose clocks differ agree; a test hands in its own.
 *
 * ARGV: the time or an empty string, then for each key its limit, seconds, cost and pauses (comma separated, or empty).
 * Answers with the wait in milliseconds, 0 when all were charged, and the index of the count that it is due to.
 */
const script = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local longest, failed = 0, -1
local counts = {}
for at, key in ipairs(KEYS) do
  local base = 1 + (at - 1) * 4
  local limit, length, cost = tonumber(ARGV[base + 1]), ARGV[base + 2] * 1000, tonumber(ARGV[base + 3])
  local pauses = {}
  for pause in string.gmatch(ARGV[base + 4], '%d+') do pauses[#pauses + 1] = pause * 1000 end
  local found = redis.call('HMGET', key, 'u', 'e', 'p', 'n')
  local ends = tonumber(found[2])
  local stands = ends and now < ends and ends - now <= 2 * length
  local count = { key = key, limit = limit, length = length, cost = cost, pauses = pauses, stands = stands,
    used = 0, ends = now + length, paused_until = 0, paused = 0 }
  if stands then
    count.used, count.ends = tonumber(found[1]), ends
    count.paused_until, count.paused = tonumber(found[3] or 0), tonumber(found[4] or 0)
  end
  local wait = 0
  if stands and #pauses > 0 then
    wait = math.max(0, count.paused_until - now)
  elseif stands and count.used + math.max(cost, 1) > limit then
    wait = ends - now
  end
  if wait > longest then longest, failed = wait, at - 1 end
  counts[at] = count
end
if failed >= 0 then return { longest, failed } end
for _, count in ipairs(counts) do
  if count.cost > 0 then
    if #count.pauses == 0 then
      count.used = count.used + count.cost
    else
      -- Full, and yet not refused: the pause is over.
      if count.used >= count.limit then count.used = 1 else count.used = count.used + 1 end
      count.ends = now + count.length
      if count.used == count.limit then
        count.paused = count.paused + 1
        count.paused_until = now + count.pauses[math.min(count.paused, #count.pauses)]
      end
    end
    redis.call('HSET', count.key, 'u', count.used, 'e', string.format('%d', count.ends),
      'p', string.format('%d', count.paused_until), 'n', count.paused)
    redis.call('PEXPIRE', count.key, count.ends - now)
  end
end
return { 0, -1 }
`;

/** One hash slot for everything: a call may mix keys of an address and of an account, and a cluster takes no such script else. */
const prefix = '{portico}:';

interface Commands {
  takeCounts(keyCount: number, ...args: (string | number)[]): Promise<[wait: number, failed: number]>;
}

/** Counts that all gateways of an installation share. Rejects when Redis is away, refuses to write or is slow. */
export class RedisThrottleStore implements ThrottleStore {
  readonly #redis: Redis & Commands;
  readonly #clock: (() => Date) | undefined;
  readonly #prefix: string;

  /** `clock` and `keyspace` are for tests; without them the time is the server's, and the keys are the installation's. */
  constructor(url: string, { clock, keyspace = '' }: { clock?: () => Date; keyspace?: string } = {}) {
    this.#clock = clock;
    this.#prefix = `${prefix}${keyspace}`;
    this.#redis = new Redis(url, {
      scripts: { takeCounts: { lua: script } },
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
    const [wait, failed] = await this.#redis.takeCounts(
      wanted.length,
      ...wanted.map(one => this.#prefix + one.key),
      this.#clock ? this.#clock().getTime() : '',
      ...wanted.flatMap(({ limit, seconds, cost = 1, pauses = [] }) => [limit, seconds, cost, pauses.join(',')]),
    );
    return failed < 0 ? { ok: true } : { ok: false, retryAfter: Math.ceil(wait / 1000), failed };
  }

  async clear(key: string): Promise<void> {
    await this.#redis.del(this.#prefix + key);
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
}
