import { benchSecret, built } from '../built.ts';
import type { Target } from '../target.ts';

/** The product itself, as `npm start` runs it: both contracts, the GraphQL door and every step of the pipeline. */
export const start: Target = url => gateway(url, '1000000');

/** The same without any limits. */
export const startUnlimited: Target = url => gateway(url, 'off');

/** With the limits as they are published. */
export const startLimited: Target = url => gateway(url, 'on');

async function gateway(url: string, throttle: string): Promise<string> {
  const { readConfig, openDatabase, openKeys, createLogger, startGateway } = await built();
  // Counted as in production, only with room for a benchmark.
  const config = readConfig({ PORT: '0', DATABASE_URL: url, SECRET_KEY: benchSecret, THROTTLE: throttle });
  const database = await openDatabase({
    url,
    pool: config.DATABASE_POOL,
    statementTimeout: config.STATEMENT_TIMEOUT_MS,
  });
  const started = await startGateway({
    config,
    database,
    keys: openKeys(config),
    logger: createLogger(config.LOG_LEVEL),
  });
  return started.address;
}
