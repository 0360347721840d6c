import type pg from 'pg';
import { ConnectionPool } from '../connection-pool.ts';
import { isPooler } from '../is-pooler.ts';
import type { PoolLimits } from '../pool-limits.ts';
import type { PreparedStatements } from '../read.ts';
import { type CallerPositions, MemoryPositions } from './caller-positions.ts';
import { Replica, type ReplicaPools, type ReplicaState } from './replica.ts';
import { ReplicaSet } from './replica-set.ts';
import { ServerProbe } from './server-probe.ts';

export interface ReplicaSettings {
  /** Of standby servers, or of poolers each of which is in front of one standby server. */
  urls: readonly string[];
  maxLagMs: number;
  /** Redis that several gateways share; undefined for one gateway. */
  redisUrl?: string | undefined;
  /** Called when the state of a replica is known and when it changes. `replica`: host and port; `error`: why it is unreachable. */
  onChange?(replica: string, state: ReplicaState, error?: unknown): void;
}

interface PrimaryDatabase {
  /** Client class and type parsers. */
  common: pg.PoolConfig;
  /** Address of the server itself. */
  directUrl: string;
  limits: Record<'anonymous' | 'signedIn', PoolLimits>;
  database: object;
  statements: PreparedStatements;
}

/** A request that waits for a connection of a replica this long is read for by the primary. */
const waitTimeoutMs = 1_000;
/** A caller that has not written for so long needs no position; at least twice the lag that is allowed. */
const positionTtlMs = 10 * 60_000;

/** Starts to watch the replicas. One that cannot be reached is none. @throws the error of asking the primary */
export async function openReplicas(
  { urls, maxLagMs, redisUrl, onChange }: ReplicaSettings,
  { common, directUrl, limits, database, statements }: PrimaryDatabase,
): Promise<ReplicaSet> {
  const ttlMs = Math.max(positionTtlMs, 2 * maxLagMs);
  const positions: CallerPositions =
    redisUrl === undefined
      ? new MemoryPositions(ttlMs)
      : new (await import('./redis-positions.ts')).RedisPositions(redisUrl, { ttlMs, distrustMs: maxLagMs });
  const primary = new ServerProbe({ ...common, connectionString: directUrl });
  const { databaseIdentifier } = await primary.ask();
  const replicas = urls.map(url => {
    const name = new URL(url).host;
    const connection = { ...common, connectionString: url };
    const openPools = async (): Promise<ReplicaPools> => {
      const shared = { database, statements, isBehindPooler: await isPooler({ connectionString: url }) };
      const open = (name: keyof ReplicaPools): ConnectionPool =>
        new ConnectionPool({ ...shared, ...limits[name], waitTimeoutMs, name, connection });
      return { anonymous: open('anonymous'), signedIn: open('signedIn') };
    };
    return new Replica({
      name,
      probe: new ServerProbe(connection),
      openPools,
      maxLagMs,
      onChange: (state, error) => onChange?.(name, state, error),
    });
  });
  return new ReplicaSet({ replicas, primary, databaseIdentifier, positions, maxLagMs });
}
