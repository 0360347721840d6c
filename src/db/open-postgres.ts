import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { type EmbeddedOptions, openEmbedded } from './embedded.ts';

/**
 * The PostgreSQL of `DATABASE_URL`, or else the embedded one in the data folder. `stop` stops only the embedded one.
 * `meanwhile` is as for `openEmbedded`.
 */
export async function openPostgres(
  config: Pick<Config, 'DATABASE_URL' | 'PORTICO_DATA'>,
  mode: EmbeddedOptions['mode'],
  log: EmbeddedOptions['log'],
  meanwhile?: () => void,
): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.DATABASE_URL !== undefined) return { url: config.DATABASE_URL, stop: async () => {} };
  return openEmbedded({ dataFolder: resolve(config.PORTICO_DATA), mode, log, ...(meanwhile ? { meanwhile } : {}) });
}
