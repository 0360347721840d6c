import { type JobsDatabase, jobsSchema } from './jobs-database.ts';

/** When the task of each schedule has last succeeded, or was first scheduled; beside the tables of pg-boss, which deletes old jobs. */
export const scheduleTable = `
  create table if not exists ${jobsSchema}.schedule_success (
    queue text primary key,
    interval_seconds int not null,
    at timestamptz not null default now()
  )`;

/** Records the schedules of a process. One that is new counts as successful now: it is late when it does not run from now on. */
export async function recordSchedules(
  database: Pick<JobsDatabase, 'executeSql'>,
  schedules: readonly { name: string; schedule: string }[],
): Promise<void> {
  await database.executeSql(
    `insert into ${jobsSchema}.schedule_success as known (queue, interval_seconds)
     select * from unnest($1::text[], $2::int[]) on conflict (queue) do update set interval_seconds = excluded.interval_seconds
     where known.interval_seconds <> excluded.interval_seconds`,
    [schedules.map(({ name }) => name), schedules.map(({ schedule }) => intervalOf(schedule))],
  );
}

/** Records that the task of a schedule has succeeded. */
export async function recordSuccess(database: Pick<JobsDatabase, 'executeSql'>, queue: string): Promise<void> {
  await database.executeSql(`update ${jobsSchema}.schedule_success set at = now() where queue = $1`, [queue]);
}

/** Seconds between two ticks of a cron expression: of those that occur here, every n minutes, hourly, daily. */
export function intervalOf(cron: string): number {
  const [minute = '', hour = ''] = cron.split(' ');
  if (minute === '*') return 60;
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (step !== undefined) return Number(step) * 60;
  return hour === '*' ? 3_600 : 86_400;
}
