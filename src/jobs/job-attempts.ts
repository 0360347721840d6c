import { type JobsDatabase, jobsSchema } from './jobs-database.ts';

/** Attempts of a job whose process died, after which the job is parked. */
export const maxDeaths = 3;

/** Beside the tables of pg-boss, which counts attempts and does not say how they ended. */
export const attemptTable = `
  create table if not exists ${jobsSchema}.attempt (
    job_id uuid primary key,
    queue text not null,
    deaths int not null default 0,
    began_at timestamptz not null default now(),
    parked_at timestamptz
  )`;

/** What is known of a job before its attempt. */
export interface JobHistory {
  /** Earlier attempts that never ended: their process was killed or ran out of memory. */
  deaths: number;
  isParked: boolean;
}

/**
 * The attempts of jobs that have begun and not ended. An attempt is recorded before its work and deleted when it ends, however it ends,
 * so that an attempt that is still recorded when the job is fetched again has died with its process. A job with `maxDeaths` of them is
 * parked: it does not run again until an operator says so.
 */
export class JobAttempts {
  readonly #database: JobsDatabase;

  constructor(database: JobsDatabase) {
    this.#database = database;
  }

  /** Records that attempts of jobs of one queue begin. Returns the history of those that were recorded before. */
  async begin(queue: string, ids: readonly string[]): Promise<Map<string, JobHistory>> {
    const { rows } = await this.#database.executeSql(
      `insert into ${jobsSchema}.attempt as known (job_id, queue) select id, $1 from unnest($2::uuid[]) as id
       on conflict (job_id) do update set deaths = known.deaths + 1, began_at = now(),
         parked_at = coalesce(known.parked_at, case when known.deaths + 1 >= ${maxDeaths} then now() end)
       returning job_id as id, deaths, parked_at is not null as "isParked"`,
      [queue, ids],
    );
    return new Map((rows as (JobHistory & { id: string })[]).map(({ id, ...history }) => [id, history]));
  }

  async end(ids: readonly string[]): Promise<void> {
    await this.#database.executeSql(
      `delete from ${jobsSchema}.attempt where job_id = any($1::uuid[]) and parked_at is null`,
      [ids],
    );
  }

  /** Whether a job of the queue is parked. */
  async hasParked(queue: string): Promise<boolean> {
    const { rows } = await this.#database.executeSql(
      `select from ${jobsSchema}.attempt where queue = $1 and parked_at is not null limit 1`,
      [queue],
    );
    return rows.length > 0;
  }
}
