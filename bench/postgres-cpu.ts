import { existsSync, readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { statOf, ticksPerSecond } from './process-stat.ts';

/**
 * Reads the CPU time of a PostgreSQL server since its start: of its processes, and of those that have ended, so that parallel
 * workers are counted. Microseconds. Undefined where the server is on another machine, or the system has no /proc.
 */
export async function postgresCpu(url: string): Promise<(() => number) | undefined> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const backend = rows[0]?.pid ?? 0;
  const postmaster = existsSync(`/proc/${backend}/stat`) ? Number(statOf(backend)[1]) : undefined;
  await client.end();
  if (postmaster === undefined) return undefined;
  return () => {
    let microseconds = 0;
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const stat = statOf(Number(name));
        const isPostmaster = Number(name) === postmaster;
        if (!isPostmaster && Number(stat[1]) !== postmaster) continue;
        // Nanoseconds; finer than the ticks of stat, of which a short statement takes none.
        microseconds += Number(readFileSync(`/proc/${name}/schedstat`, 'utf8').split(' ')[0]) / 1000;
        // User and system time of children that have ended.
        if (isPostmaster) microseconds += ((Number(stat[13]) + Number(stat[14])) / ticksPerSecond) * 1e6;
      } catch {
        // The process has ended since the folder was read.
      }
    }
    return microseconds;
  };
}
