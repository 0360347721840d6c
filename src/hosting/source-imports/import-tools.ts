import { join, resolve } from 'node:path';
import type { Keys } from '../../auth/keys.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../context/context.ts';
import type { GitLimits } from '../../git/limited-git.ts';
import type { Outbound } from '../../outbound/outbound-client.ts';
import type { ImportCredentials } from './import-credentials.ts';
import type { ImportWork } from './import-rows.ts';
import type { ImportWatch } from './import-watch.ts';

/** What the steps of an import use. */
export interface ImportTools {
  context: Pick<Context, 'read' | 'transaction' | 'now'>;
  config: Config;
  keys: Keys;
  outbound: Outbound;
}

/** One attempt at one step. */
export interface StepWork {
  tools: ImportTools;
  work: ImportWork;
  watch: ImportWatch;
  credentials: ImportCredentials | undefined;
}

/** What git may use for an import. */
export const limitsOf = ({ SOURCE_IMPORT_MAX_MB }: Pick<Config, 'SOURCE_IMPORT_MAX_MB'>): GitLimits => ({
  file: SOURCE_IMPORT_MAX_MB * 1e6,
  // Libraries, threads and windows on packs take some 300 MB of addresses; a blob that is held whole has 16 MB.
  memory: 2 * 1024 ** 3,
});

/** Where imports keep what they fetch. */
export const scratchFolder = ({ PORTICO_DATA }: Pick<Config, 'PORTICO_DATA'>): string =>
  join(resolve(PORTICO_DATA), 'imports');
