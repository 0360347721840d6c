import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely } from 'kysely';
import { type Db, fromKysely, PgBoss } from 'pg-boss';
import type { JobType } from './define-job.ts';
import { jobsSchema } from './jobs-database.ts';

const currentTransaction = new AsyncLocalStorage<Db>();

/**
 * Writes jobs and does nothing else. It is never started and has no connection: whatever it has to say goes through the
 * transaction at hand, also the one look, the first time, at how a queue is kept.
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
   * When a job of this key still waits, it takes over `data` and `startAfter` instead of a second one being added. The
   * waiting one is held until the caller commits, so the work it does sees what the caller wrote. Two callers at the
   * same moment may still add one each: the work is done at least once after every commit.
   */
  singletonKey?: string;
}

/**
 * Adds a job in the caller's transaction: it is there when that commits, and never was when it rolls back.
 * `db` is `em.getKysely()` of a transactional EntityManager. Throws when `prepareJobs` has not made the queue.
 */
export async function enqueue<Data extends object>(
  db: Kysely<unknown>,
  job: JobType<Data>,
  data: NoInfer<Data>,
  { startAfter, singletonKey }: EnqueueOptions = {},
): Promise<void> {
  const when = startAfter === undefined ? {} : { startAfter };
  const written = await currentTransaction.run(fromKysely(db), async () => {
    if (singletonKey === undefined) return (await sender.send(job.name, data, when)) !== null;
    return (await sender.upsert(job.name, data, { ...when, singletonKey })).jobs.length > 0;
  });
  if (!written) throw missingQueueError(job);
}

/** Adds several jobs of one kind in the caller's transaction, by one statement. */
export async function enqueueAll<Data extends object>(
  db: Kysely<unknown>,
  job: JobType<Data>,
  jobs: readonly { data: NoInfer<Data>; startAfter?: Date }[],
): Promise<void> {
  if (jobs.length === 0) return;
  const written = await currentTransaction.run(fromKysely(db), () =>
    sender.insert(job.name, [...jobs], { returnId: true }),
  );
  if (written?.length !== jobs.length) throw missingQueueError(job);
}

const missingQueueError = ({ name }: Pick<JobType<never>, 'name'>): Error =>
  new Error(`The job «${name}» was not written: its queue is missing.`);
