import type { DerivedKeys } from '../../auth/derived-keys.ts';
import type { Config } from '../../config/config.ts';
import type { PublicOrigin } from '../../config/public-origin.ts';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { runEach, runInBatches, type Transact } from '../../db/row-batches.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { purgeCompanionHistory } from '../companion/erase-history.ts';
import { ageByBirthdays } from '../moderation/contact-protection.ts';
import { eraseDueAccounts, purgeStale } from './erase-accounts.ts';
import { handleMailRequest, mailRequestJob } from './request-mail.ts';

/** A job of its own, before all other housekeeping: erasure is a duty that no other work may delay. */
const erasureJob = defineHousekeepingJob('account-erasure', 3_600);
const housekeepingJob = defineHousekeepingJob('account-housekeeping', 3_600);

/** Background jobs of the accounts. */
export function accountTasks(dependencies: {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  clock: Clock;
  publicOrigin: PublicOrigin;
}): Task<never>[] {
  const { config, database, keys, clock, publicOrigin } = dependencies;
  const transaction: Transact = work => inTransaction(database, work);
  return [
    {
      job: mailRequestJob,
      concurrency: 2,
      work: data => {
        const context = { config, keys, now: clock, publicOrigin: publicOrigin.value };
        return inTransaction(database, db => handleMailRequest(db, context, data));
      },
    },
    {
      job: erasureJob,
      concurrency: 1,
      // Every hour, so that a failure is made good on the same day.
      schedule: '7 * * * *',
      work: (_data, { signal }) =>
        eraseDueAccounts(
          { read: database.read, transaction },
          { now: clock(), afterDays: config.ERASE_AFTER_DAYS, signal },
        ),
    },
    {
      job: housekeepingJob,
      concurrency: 1,
      // Off-peak, and not on the full hour, when most cron jobs of a host run.
      schedule: '17 3 * * *',
      work: (_data, { signal }) => {
        const now = clock();
        return runEach([
          () => runInBatches(transaction, (db, limit) => ageByBirthdays(db, now, limit), signal),
          () => runInBatches(transaction, async (db, limit) => (await purgeStale(db, now, limit)).rows, signal),
          () =>
            runInBatches(
              transaction,
              (db, limit) => purgeCompanionHistory(db, now, config.AI_RETENTION_DAYS, limit),
              signal,
            ),
        ]);
      },
    },
  ] as Task<never>[];
}
