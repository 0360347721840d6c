import { formatJsonInTurns } from 'operation-rest';
import type { DerivedKeys } from '../auth/derived-keys.ts';
import type { Config } from '../config/config.ts';
import { PublicOrigin } from '../config/public-origin.ts';
import type { Clock } from '../context/context.ts';
import { type Database, databaseForJobs } from '../db/database.ts';
import { healthTasks } from '../health/health.ts';
import { hostingTasks } from '../hosting/hosting.ts';
import type { JobLog } from '../jobs/job-log.ts';
import { prepareJobs } from '../jobs/prepare-jobs.ts';
import { startJobs } from '../jobs/start-jobs.ts';
import type { Task } from '../jobs/task.ts';
import { mailTask } from '../mail/send-mail.ts';
import { openTransport } from '../mail/transport.ts';
import { openOutboundClient } from '../outbound/outbound-client.ts';
import { compileGateway } from './compile-gateway.ts';
import { idempotencyTask } from './idempotency-task.ts';
import { listTallyTask } from './list-tally-task.ts';
import { openIsolatedWork } from './open-isolated-work.ts';
import { retentionTask } from './retention-task.ts';
import { webhookObjects } from './webhook-objects.ts';

export interface JobRunnerOptions {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  clock: Clock;
  /** URL of the database. */
  url: string;
  logger: JobLog;
  /** Polling interval of an idle queue, 1 by default. */
  pollSeconds?: number;
  /** That of the gateway in this process, which knows the listen port; by default from the settings. */
  publicOrigin?: PublicOrigin;
}

/** Runs background jobs in this process. */
export interface JobRunner {
  /** Creates tables and queues. Call it under the start lock, before anything is enqueued. */
  prepare(): Promise<void>;
  start(): Promise<void>;
  /** Waits for active jobs, then stops. */
  stop(): Promise<void>;
}

export function createJobRunner({
  config,
  database,
  keys,
  clock,
  url,
  logger,
  pollSeconds = 1,
  publicOrigin = new PublicOrigin(config),
}: JobRunnerOptions): JobRunner {
  const forJobs = databaseForJobs(database);
  const transport = openTransport(config);
  const isolated = openIsolatedWork(config, database, logger);
  const outbound = openOutboundClient({ allow: config.OUTBOUND_ALLOWED_HOSTS });
  const tasks: Task<never>[] = [
    mailTask({ keys, transport }),
    listTallyTask({ database: forJobs }),
    retentionTask({ database: forJobs, clock, config }),
    idempotencyTask({ database: forJobs, clock }),
    ...healthTasks({ config, database: forJobs, keys, clock, publicOrigin, outbound }),
    ...hostingTasks({
      config,
      database: forJobs,
      keys,
      clock,
      outbound,
      log: logger,
      publicOrigin,
      isolatedWork: isolated?.work,
      longWork: isolated?.longWork,
      serialize: webhookObjects(() => compileGateway(config).graph),
      formatJson: formatJsonInTurns,
    }),
  ];
  let runner: Awaited<ReturnType<typeof startJobs>> | undefined;
  return {
    prepare: () =>
      prepareJobs(
        url,
        tasks.map(task => task.job),
      ),
    async start() {
      runner = await startJobs({ url, tasks, logger, pollSeconds, drainSeconds: config.DRAIN_TIMEOUT_MS / 1000 });
    },
    async stop() {
      await runner?.stop();
      isolated?.release();
      await outbound.close();
      transport.close();
    },
  };
}
