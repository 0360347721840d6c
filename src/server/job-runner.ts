import type { DerivedKeys } from '../auth/derived-keys.ts';
import type { Config } from '../config/config.ts';
import { PublicOrigin } from '../config/public-origin.ts';
import type { Clock } from '../context/context.ts';
import { type Database, databaseForJobs } from '../db/database.ts';
import { healthTasks } from '../health/health.ts';
import { hostingTasks } from '../hosting/hosting.ts';
import type { JobLog } from '../jobs/job-log.ts';
import { prepareJobs } from '../jobs/prepare-jobs.ts';
import type { Task } from '../jobs/run-task.ts';
import { startJobs } from '../jobs/start-jobs.ts';
import { mailTask } from '../mail/send-mail.ts';
import { openTransport } from '../mail/transport.ts';
import { openOutboundClient } from '../outbound/outbound-client.ts';
import { buildGraph } from './graph.ts';
import { webhookObjects } from './webhook-objects.ts';

export interface JobRunnerOptions {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  clock: Clock;
  /** Of the database. */
  url: string;
  logger: JobLog;
  /** How often an idle task looks for jobs; 1 when absent. */
  pollSeconds?: number;
  /** That of the gateway of this process, which knows the port it listens on; where there is none, by the settings alone. */
  publicOrigin?: PublicOrigin;
}

/** Everything that is done outside of requests, in this process. */
export interface JobRunner {
  /** Makes tables and queues for the jobs. Call it under the start lock, before anything can be enqueued. */
  prepare(): Promise<void>;
  start(): Promise<void>;
  /** Lets running work finish, then stops. */
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
  const outbound = openOutboundClient({ allow: config.OUTBOUND_ALLOWED_HOSTS });
  const tasks: Task<never>[] = [
    mailTask({ keys, transport }),
    ...healthTasks({ config, database: forJobs, keys, clock, publicOrigin }),
    ...hostingTasks({
      config,
      database: forJobs,
      keys,
      clock,
      outbound,
      publicOrigin,
      serialize: webhookObjects(() => buildGraph(config)),
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
      await outbound.close();
      transport.close();
    },
  };
}
