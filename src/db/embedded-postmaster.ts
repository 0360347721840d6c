import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { memoryLimit } from '../config/memory-limit.ts';
import { smallMemoryBytes } from '../config/small-memory.ts';
import { heard } from '../errors/heard.ts';
import { startProcess } from '../workers/start-process.ts';
import { chownToOwnerOf } from './embedded-account.ts';
import type { PreparedCluster } from './embedded-cluster.ts';
import { findOrphans, isAlive, isPostmasterOf, readPidFile, signalProcess } from './embedded-pid.ts';

/** A running server: the process id of its postmaster and its TCP port on 127.0.0.1. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

export type StartFailure = 'port taken' | 'another server is starting' | 'memory of a dead server still in use';

/**
 * Starts a server and waits until it accepts connections, however long its recovery takes. It leads its own session, so that
 * Ctrl-C in a terminal reaches only the gateway, and it does not keep this process alive.
 *
 * @returns the postmaster, or the reason why the next attempt may succeed
 * @throws Error with the last lines of the server log
 */
export async function startPostmaster(
  cluster: PreparedCluster,
  port: number,
  warn: (message: string) => void,
): Promise<Postmaster | StartFailure> {
  const log = openLog(cluster.logFile);
  try {
    return await spawnPostmaster(cluster, port, log, warn);
  } finally {
    fs.closeSync(log);
  }
}

async function spawnPostmaster(cluster: PreparedCluster, port: number, log: number, warn: (message: string) => void) {
  const begin = fs.fstatSync(log).size;
  const settings = { ...defaultSettings, ...cluster.settings, port: String(port) };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const launch = cluster.launch(
    cluster.programs.postgres,
    ['-D', cluster.dataDirectory, ...options],
    stalePidFileEnv(cluster.dataDirectory),
  );
  const child = startProcess(launch.command, launch.args, {
    ...launch.options,
    detached: true,
    stdio: ['ignore', log, log],
    windowsHide: true,
  });
  child.unref();
  let failure: Error | undefined;
  child.once('error', error => {
    failure = error;
  });
  cluster.meanwhile();
  for (let waited = 0; child.exitCode === null && child.signalCode === null && failure === undefined; waited += 10) {
    const file = readPidFile(cluster.dataDirectory);
    if (child.pid !== undefined && file?.pid === child.pid && file.status === 'ready') return { pid: child.pid, port };
    if (waited > 0 && waited % 15_000 === 0) warn('PostgreSQL is still starting, probably recovering from a crash');
    await delay(10);
  }
  const output = readFrom(log, begin);
  const ownOutput = output
    .split('\n')
    .filter(line => line.includes(`[${child.pid}]`))
    .join('\n');
  if (ownOutput.includes('could not create any TCP/IP sockets')) return 'port taken';
  if (ownOutput.includes('lock file "postmaster.pid" already exists')) return 'another server is starting';
  if (ownOutput.includes('pre-existing shared memory block')) {
    // Sessions that outlived their postmaster end after their current statement, which can take minutes. Until then no server
    // can start, so they are ended now.
    for (const orphan of findOrphans(cluster.dataDirectory)) signalProcess(orphan, 'SIGQUIT');
    return 'memory of a dead server still in use';
  }
  const how = failure?.message ?? `it ended with ${child.exitCode ?? child.signalCode}`;
  throw new Error(
    `PostgreSQL did not start: ${how}. The end of ${cluster.logFile}:\n${lastLines(output)}${hint(output)}`,
  );
}

/**
 * The server does not start when the pid file names a live process, whichever it is, except the grandparent that pg_ctl names
 * in this variable. Rejected: to remove the file. The server still checks the shared memory that the file names, and a file that a
 * live postmaster has just written can never be removed.
 */
function stalePidFileEnv(cluster: string): Record<string, string> {
  const pid = readPidFile(cluster)?.pid;
  if (pid === undefined || !isAlive(pid) || isPostmasterOf(cluster, pid)) return {};
  return { PG_GRANDPARENT_PID: String(pid) };
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  // None, because a socket path has at most 107 bytes, which data folders of tests and CI often exceed.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '100',
  // Part of the memory of the container, as soon as the pages are used.
  shared_buffers: memoryLimit() < smallMemoryBytes ? '32MB' : '128MB',
};

/**
 * Fast shutdown (sessions are terminated, data is flushed), and after 10 s immediate shutdown, which loses no data either but
 * makes the next start recover.
 *
 * @throws Error when it has not ended after another 10 s
 */
export async function stopPostmaster(pid: number, cluster: PreparedCluster): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    signalPostmaster(pid, cluster, signal);
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
      if (!isPostmasterOf(cluster.dataDirectory, pid)) return;
      await delay(20);
    }
  }
  throw new Error(
    `PostgreSQL (process ${pid}, folder ${cluster.dataDirectory}) does not end. Look at ${cluster.logFile}.`,
  );
}

/** Synchronous, for exit handlers. Does nothing when the process is not, or no longer, the postmaster of this cluster. */
export function signalPostmaster(pid: number, cluster: PreparedCluster, signal: 'SIGINT' | 'SIGQUIT'): void {
  if (!isPostmasterOf(cluster.dataDirectory, pid)) return;
  if (process.platform === 'win32') spawnSync(cluster.programs.pg_ctl, ['kill', signal.slice(3), String(pid)]);
  else signalProcess(pid, signal);
}

/** A port of 127.0.0.1 that nothing listens on now. `startPostmaster` reports when another process has taken it since. */
export async function findFreePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = heard(createServer()).once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

/** Opens the log for appending; a log of more than 10 MB is renamed to `.old` first. */
function openLog(path: string): number {
  if ((fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 10_000_000) fs.renameSync(path, `${path}.old`);
  const file = fs.openSync(path, 'a+', 0o600);
  chownToOwnerOf(dirname(path), file);
  return file;
}

function readFrom(file: number, begin: number): string {
  const bytes = Buffer.alloc(fs.fstatSync(file).size - begin);
  fs.readSync(file, bytes, 0, bytes.length, begin);
  return bytes.toString('utf8');
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-12).join('\n');
}

function hint(output: string): string {
  if (!output.includes('error while loading shared libraries')) return '';
  return '\nIf the library belongs to PostgreSQL, its package was installed without its script: run "npm rebuild".';
}
