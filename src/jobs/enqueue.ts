import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely } from 'kysely';
import { type Db, fromKysely, PgBoss } from 'pg-boss';
import type { JobType } from './define-job.ts';
import { withCause } from './job-trace.ts';
import { jobsSchema } from './jobs-database.ts';

const currentTransaction = new AsyncLocalStorage<Db>();

/**
 * A pg-boss that only inserts jobs. It is never started and has no connection: its statements, including the lookup of a queue on
 * first use, run in the current transaction.
 */
const sender = new PgBoss({
  schema: jobsSchema,
  migrate: false,
  supervise: false,
  schedule: false,
  db: {
    executeSql(text, values) {
      const db = currentTransaction.getStore();
      if (!db) throw new Error('A job is written inside a transaction.');
      return db.executeSql(text, values);
    },
  },
});

export interface EnqueueOptions {
  /** Not before this time. */
  startAfter?: Date;
  /**
   * If a job with this key is waiting, its `data` and `startAfter` are replaced instead of a second job being added. The waiting
   * job is locked until the caller commits, so its work sees what the caller wrote. Two concurrent callers may add one each: the
   * work runs at least once after every commit.
   */
  singletonKey?: string;
}

/**
 * Adds a job in the caller's transaction `db`: it exists when that commits, and not when it rolls back.
 *
 * @throws Error when `prepareJobs` has not created the queue
 */
export async function enqueue<Data extends object>(
  db: Kysely<unknown>,
  job: JobType<Data>,
  data: NoInfer<Data>,
  { startAfter, singletonKey }: EnqueueOptions = {},
): Promise<void> {
  const when = startAfter === undefined ? {} : { startAfter };
  const sent = withCause(data);
  const written = await currentTransaction.run(fromKysely(db), async () => {
    if (singletonKey === undefined) return (await sender.send(job.name, sent, when)) !== null;
    return (await sender.upsert(job.name, sent, { ...when, singletonKey })).jobs.length > 0;
  });
  if (!written) throw missingQueueError(job);
}

/**
 * Adds several jobs of one type in the caller's transaction with one statement. `priority`: 0 by default; waiting jobs of a higher one
 * go first.
 * @throws as `enqueue`
 */
export async function enqueueAll<Data extends object>(
  db: Kysely<unknown>,
  job: JobType<Data>,
  jobs: readonly { data: NoInfer<Data>; startAfter?: Date; priority?: number }[],
): Promise<void> {
  if (jobs.length === 0) return;
  const written = await currentTransaction.run(fromKysely(db), () =>
    sender.insert(
      job.name,
      jobs.map(one => ({ ...one, data: withCause(one.data) })),
      { returnId: true },
    ),
  );
  if (written?.length !== jobs.length) throw missingQueueError(job);
}

const missingQueueError = ({ name }: Pick<JobType<never>, 'name'>): Error =>
  new Error(`The job «${name}» was not written: its queue is missing.`);
