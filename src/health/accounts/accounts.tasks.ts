import type { DerivedKeys } from '../../auth/derived-keys.ts';
import type { Config } from '../../config/config.ts';
import type { PublicOrigin } from '../../config/public-origin.ts';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { purgeCompanionHistory } from '../companion/erase-history.ts';
import { ageByBirthdays } from '../moderation/contact-protection.ts';
import { eraseDeletedAccounts, purgeStale } from './erase-accounts.ts';
import { handleMailRequest, mailRequestJob } from './request-mail.ts';

const housekeepingJob = defineHousekeepingJob('account-housekeeping');

/** Background jobs of the accounts. */
export function accountTasks(dependencies: {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  clock: Clock;
  publicOrigin: PublicOrigin;
}): Task<never>[] {
  const { config, database, keys, clock, publicOrigin } = dependencies;
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
      job: housekeepingJob,
      concurrency: 1,
      // Off-peak, and not on the full hour, when most cron jobs of a host run.
      schedule: '17 3 * * *',
      work: () =>
        inTransaction(database, async db => {
          await eraseDeletedAccounts(db, clock(), config.ERASE_AFTER_DAYS);
          await purgeStale(db, clock());
          await ageByBirthdays(db, clock());
          await purgeCompanionHistory(db, clock(), config.AI_RETENTION_DAYS);
        }),
    },
  ] as Task<never>[];
}
