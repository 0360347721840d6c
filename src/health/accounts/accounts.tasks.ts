import type { Keys } from '../../auth/keys.ts';
import type { Config } from '../../config/config.ts';
import type { PublicOrigin } from '../../config/public-origin.ts';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineJob } from '../../jobs/define-job.ts';
import type { Task } from '../../jobs/run-task.ts';
import { purgeCompanion } from '../companion/erase-history.ts';
import { eraseDeletedAccounts, purgeStale } from './erase-accounts.ts';
import { answerMailRequest, mailRequests } from './request-mail.ts';

const housekeeping = defineJob<object>({
  name: 'account-housekeeping',
  retry: { limit: 5, delaySeconds: 60, backoff: true },
  heartbeatSeconds: 30,
  timeoutSeconds: 600,
  retentionDays: 7,
});

/** What the accounts have done outside of requests. */
export function accountTasks(around: {
  config: Config;
  database: Database;
  keys: Keys;
  clock: Clock;
  publicOrigin: PublicOrigin;
}): Task<never>[] {
  const { config, database, keys, clock, publicOrigin } = around;
  return [
    {
      job: mailRequests,
      concurrency: 2,
      work: data => {
        const context = { config, keys, now: clock, publicOrigin: publicOrigin.value };
        return inTransaction(database, db => answerMailRequest(db, context, data));
      },
    },
    {
      job: housekeeping,
      concurrency: 1,
      // At a quiet hour, and not on the hour, when everybody's jobs run.
      schedule: '17 3 * * *',
      work: () =>
        inTransaction(database, async db => {
          await eraseDeletedAccounts(db, clock(), config.ERASE_AFTER_DAYS);
          await purgeStale(db, clock());
          await purgeCompanion(db, clock(), config.AI_RETENTION_DAYS);
        }),
    },
  ] as Task<never>[];
}
