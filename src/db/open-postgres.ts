import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { type EmbeddedOptions, openEmbedded } from './embedded.ts';

/** A PostgreSQL to talk to: the one of `DATABASE_URL`, or the embedded one under the data folder. `stop` ends only the latter. */
export async function openPostgres(
  config: Pick<Config, 'DATABASE_URL' | 'PORTICO_DATA'>,
  mode: EmbeddedOptions['mode'],
  log: EmbeddedOptions['log'],
): Promise<{ url: string; stop(): Promise<void> }> {
  if (config.DATABASE_URL !== undefined) return { url: config.DATABASE_URL, stop: async () => {} };
  return openEmbedded({ dataFolder: resolve(config.PORTICO_DATA), mode, log });
}
