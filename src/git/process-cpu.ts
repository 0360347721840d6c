import { readdir, readFile } from 'node:fs/promises';

/** The kernel's unit in /proc: a hundredth of a second on every architecture of Linux. */
const microsecondsPerTick = 10_000;

/** Fields of `/proc/<pid>/stat` behind the name of the program, which is in parentheses and may contain spaces. */
async function statFields(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** User and system time of the process and of the child processes that it has waited for. */
const cpuTimeOf = (fields: readonly string[]): number =>
  fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * microsecondsPerTick;

/**
 * CPU time in microseconds of the leader of a process group, of the processes below it and of those that they have waited for; 0 where
 * there is no /proc. Takes two files for each process. A kernel without lists of children is asked for every process of the machine, and
 * those of the group are counted.
 */
export async function groupCpuTime(leader: number): Promise<number> {
  const below = await descendantsOf(leader);
  const times = (below ?? (await allProcesses())).map(async pid => {
    const fields = await statFields(pid);
    return below || Number(fields[2]) === leader ? cpuTimeOf(fields) : 0;
  });
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
}

/** A process and those below it; undefined where the kernel has no lists of children, and when the process has ended. */
async function descendantsOf(leader: number): Promise<number[] | undefined> {
  const found = [leader];
  for (let at = 0; at < found.length; at++) {
    const pid = found[at] ?? 0;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => undefined);
    if (children === undefined && at === 0) return undefined;
    for (const child of (children ?? '').split(' ')) if (child.trim() !== '') found.push(Number(child));
  }
  return found;
}

async function allProcesses(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter(name => /^\d+$/.test(name)).map(Number);
}
