import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { type EmbeddedOptions, openEmbedded } from './embedded.ts';

interface OpenServer {
  /** Address for requests, of the server or of a pooler. */
  url: string;
  /** DATABASE_DIRECT_URL. */
  directUrl: string | undefined;
  /** Address for work that needs a session: `directUrl`, or else `url`. */
  sessionUrl: string;
  stop(): Promise<void>;
}

/**
 * The PostgreSQL of `DATABASE_URL`, or else the embedded one in the data folder. `stop` stops only the embedded one.
 * `meanwhile` is as for `openEmbedded`.
 */
export async function openPostgres(
  config: Pick<Config, 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'PORTICO_DATA'>,
  mode: EmbeddedOptions['mode'],
  log: EmbeddedOptions['log'],
  meanwhile?: () => void,
): Promise<OpenServer> {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl } = config;
  if (url !== undefined) return { url, directUrl, sessionUrl: directUrl ?? url, stop: async () => {} };
  const server = await openEmbedded({
    dataFolder: resolve(config.PORTICO_DATA),
    mode,
    log,
    ...(meanwhile ? { meanwhile } : {}),
  });
  return { url: server.url, directUrl: undefined, sessionUrl: server.url, stop: () => server.stop() };
}
