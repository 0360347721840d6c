import { execFileSync } from 'node:child_process';

/** CPUs of the servers and of everything else, in the syntax of `taskset`. */
export interface Pinning {
  server: string;
  rest: string;
}

/**
 * Reserves the first CPU for the servers and moves this process and its children to the others. Returns undefined, and moves
 * nothing, without `taskset` or with one CPU.
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

/** Allows this process and its later children all CPUs again. */
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
