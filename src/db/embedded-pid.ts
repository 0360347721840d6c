import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from './embedded-error.ts';

interface PidFile {
  readonly pid: number;
  readonly port: number | null;
  readonly status: string;
}

/** Parses <cluster>/postmaster.pid; null when it does not exist. The server writes its lines one by one. */
export function readPidFile(cluster: string): PidFile | null {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return null; // absent, or just removed
  }
  const pid = Math.abs(Number(lines[0])); // negative: a single-user server
  if (!Number.isInteger(pid) || pid === 0) return null;
  return { pid, port: Number(lines[3]) || null, status: lines[7]?.trim() ?? '' };
}

/** Whether a process with this id exists; also true for a process that may not be signalled and for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** `process.kill` that ignores a process that has ended. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/**
 * One bit of a hexadecimal mask in /proc/self/status (Linux): permitted capabilities (`CapPrm`, bits as in linux/capability.h) or
 * ignored signals (`SigIgn`, bit = number - 1).
 */
export function hasProcStatusBit(field: 'CapPrm' | 'SigIgn', bit: number): boolean {
  // recheck-ignore: /proc/self/status
  const mask = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(bit)) & 1n) === 1n;
}

/**
 * Whether the process is the postmaster of this cluster: its command line has the folder after -D. The id alone is no proof,
 * because after a reboot and in every new container it may belong to another process. Rejected: /proc/<pid>/cwd, which root in a
 * container without SYS_PTRACE may not read.
 */
export function isPostmasterOf(cluster: string, pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform === 'win32') return true; // no cheap check; the connection that follows decides
  try {
    if (process.platform === 'linux') {
      const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return argv[argv.indexOf('-D') + 1] === cluster;
    }
  } catch {
    return false;
  }
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  // Null where `ps` could not start.
  return (stdout ?? '').includes(`-D ${cluster}`);
}

/**
 * Ids of server processes of this cluster whose postmaster has died. Never includes a process of a running server. On Linux, only
 * those that this process may inspect; elsewhere none.
 */
export function findOrphans(cluster: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && isOrphan(cluster, pid));
}

function isOrphan(cluster: string, pid: number): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/cwd`) !== cluster) return false;
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres: ')) return false;
    const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return parent !== undefined && !isPostmasterOf(cluster, Number(parent));
  } catch {
    return false; // it has ended, or belongs to another user
  }
}
