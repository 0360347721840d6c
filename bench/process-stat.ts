import { readFileSync } from 'node:fs';

/** Clock ticks of /proc per second: 100 in every Linux kernel that shows them to processes. */
export const ticksPerSecond = 100;

/** The fields of /proc/<pid>/stat after the name of the program, which may contain blanks. */
export function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** CPU time of a process, user and system, in microseconds: ticks of 10 ms. */
export function processCpu(pid: number): number {
  const stat = statOf(pid);
  return ((Number(stat[11]) + Number(stat[12])) / ticksPerSecond) * 1e6;
}
