import type { Config } from '../config/config.ts';
import type { ReplicaSettings } from '../db/replicas/open-replicas.ts';
import type { Logger } from './logger.ts';

/** The replicas of the settings; undefined without any. Their changes of state are logged. */
export function replicaSettings(
  config: Pick<Config, 'DATABASE_REPLICA_URLS' | 'MAX_REPLICA_LAG_MS' | 'REDIS_URL'>,
  log: Pick<Logger, 'info' | 'warn'>,
): ReplicaSettings | undefined {
  const { DATABASE_REPLICA_URLS: urls, MAX_REPLICA_LAG_MS: maxLagMs, REDIS_URL: redisUrl } = config;
  if (urls.length === 0) return undefined;
  return {
    urls,
    maxLagMs,
    redisUrl,
    onChange(replica, state, error) {
      if (state === 'ready') log.info({ replica }, 'a replica reads for requests');
      else log.warn({ replica, state, err: error }, 'a replica is left out');
    },
  };
}
