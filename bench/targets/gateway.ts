import { benchSecret, loadBuild } from '../load-build.ts';
import type { Target } from '../target.ts';

/** The product itself, as `npm start` runs it: both REST APIs, GraphQL and every step of the pipeline. */
export const start: Target = url => gateway(url, '1000000');

/** The same without rate limits. */
export const startUnlimited: Target = url => gateway(url, 'off');

/** With the published rate limits. */
export const startLimited: Target = url => gateway(url, 'on');

/** With the published rate limits, and a job runner that sends webhooks to this machine. */
export const startLimitedWithJobs: Target = url => gateway(url, 'on', true);

async function gateway(url: string, rateLimitFactor: string, hasJobs = false): Promise<string> {
  const { readConfig, openDatabase, deriveKeys, createLogger, startGateway } = await loadBuild();
  // Counted as in production, with limits that a benchmark does not reach.
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: url,
    SECRET_KEY: benchSecret,
    RATE_LIMIT_FACTOR: rateLimitFactor,
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
  });
  const database = await openDatabase({
    url,
    poolSize: config.DATABASE_POOL,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
  });
  const common = { config, database, keys: deriveKeys(config), logger: createLogger(config.LOG_LEVEL) };
  if (hasJobs) {
    const { createJobRunner } = (await import(
      '../../dist/src/server/job-runner.js' as string
    )) as typeof import('../../src/server/job-runner.ts');
    const jobs = createJobRunner({ ...common, url, clock: () => new Date() });
    await jobs.prepare();
    await jobs.start();
  }
  const started = await startGateway(common);
  return started.address;
}
