import { join, resolve } from 'node:path';
import type { DerivedKeys } from '../../auth/derived-keys.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../context/context.ts';
import type { ConnectionPool } from '../../db/connection-pool.ts';
import type { GitLimits } from '../../git/limited-git.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { LongWork } from '../../workers/long-task.ts';
import type { ImportCredentials } from './import-credentials.ts';
import type { ImportMonitor } from './import-monitor.ts';
import type { ImportWork } from './import-state.ts';

/** Dependencies of the steps. */
export interface ImportServices {
  context: Pick<Context, 'read' | 'workBudget' | 'transaction' | 'now'>;
  config: Config;
  keys: DerivedKeys;
  outbound: OutboundClient;
  pool: ConnectionPool;
  /** Where a source is scanned; in this process when it is absent. */
  longWork: LongWork | undefined;
}

/** One attempt at one step. */
export interface StepContext {
  services: ImportServices;
  work: ImportWork;
  monitor: ImportMonitor;
  credentials: ImportCredentials | undefined;
}

/** Resource limits of git. */
export const gitLimits = ({ SOURCE_IMPORT_MAX_MB }: Pick<Config, 'SOURCE_IMPORT_MAX_MB'>): GitLimits => ({
  maxFileBytes: SOURCE_IMPORT_MAX_MB * 1e6,
  // Libraries, threads and pack windows take about 300 MB of address space; a blob in memory has at most 16 MB.
  maxMemoryBytes: 2 * 1024 ** 3,
});

/** Directory of all fetched sources. */
export const scratchRoot = ({ PORTICO_DATA }: Pick<Config, 'PORTICO_DATA'>): string =>
  join(resolve(PORTICO_DATA), 'imports');
