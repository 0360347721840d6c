import { sql } from 'kysely';
import { healthEntities } from '../../schema/health/entities.ts';
import { hostingEntities } from '../../schema/hosting/entities.ts';
import type { RetentionSetting } from '../../schema/vocabulary/retention.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../context/context.ts';
import { type Database, inTransaction } from '../db/database.ts';
import { deleteRows, runEach, runInBatches } from '../db/row-batches.ts';
import { retentionJobName, tableRetentions } from '../db/table-retention.ts';
import { defineHousekeepingJob } from '../jobs/housekeeping-job.ts';
import type { Task } from '../jobs/task.ts';

const retentionJob = defineHousekeepingJob(retentionJobName, 3_600);
const dayMs = 24 * 3_600_000;

interface RetentionDependencies {
  database: Database;
  clock: Clock;
  config: Pick<Config, RetentionSetting>;
}

/** Deletes the rows of both products whose number of days has passed, of the declaration or of its setting. A table that fails keeps no other from its turn. */
export function retentionTask({ database, clock, config }: RetentionDependencies): Task<never> {
  const expiring = tableRetentions([...healthEntities, ...hostingEntities]).flatMap(({ table, expired }) =>
    expired ? [{ table, ...expired }] : [],
  );
  return {
    job: retentionJob,
    concurrency: 1,
    schedule: '27 4 * * *',
    work: (_data, { signal }) => {
      const now = clock().getTime();
      return runEach(
        expiring.map(({ table, column, days, setting }) => () => {
          const before = new Date(now - (setting === undefined ? days : config[setting]) * dayMs);
          return runInBatches(
            work => inTransaction(database, work),
            (db, limit) => deleteRows(db, table, sql`${sql.ref(column)} < ${before}`, limit),
            signal,
          );
        }),
      );
    },
  } satisfies Task<object> as Task<never>;
}
