import { execFileSync } from 'node:child_process';

/** Which CPUs the servers run on and which everything else, as `taskset` writes them. */
export interface Pinning {
  server: string;
  rest: string;
}

/**
 * Gives the servers the first CPU for themselves and moves this process, and with it whatever it starts, to the others.
 * Undefined, and nothing is moved, where `taskset` is missing or there is only one CPU.
 */
export function pinThisProcess(): Pinning | undefined {
  try {
    const output = execFileSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' });
    const [server, ...rest] = cpus(output.slice(output.lastIndexOf(':') + 1));
    if (server === undefined || rest.length === 0) return undefined;
    const pinning = { server: String(server), rest: rest.join(',') };
    execFileSync('taskset', ['-a', '-cp', pinning.rest, String(process.pid)], { stdio: 'ignore' });
    return pinning;
  } catch {
    return undefined;
  }
}

/** Gives this process, and what it starts from now on, all CPUs again. */
export function unpinThisProcess({ server, rest }: Pinning): void {
  execFileSync('taskset', ['-a', '-cp', `${server},${rest}`, String(process.pid)], { stdio: 'ignore' });
}

/** `0-2,5` → 0, 1, 2, 5 */
function cpus(list: string): number[] {
  return list.split(',').flatMap(range => {
    const [first = Number.NaN, last = first] = range.trim().split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
