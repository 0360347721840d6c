import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { maxDeaths } from '../../src/jobs/job-attempts.ts';
import type { MailFault } from './mail-server.ts';
import { restarted, type Victim } from './random-kills.ts';
import type { Topology } from './topology.ts';

const execute = promisify(execFile);

/** What faults other than kills act on. */
export interface FaultTargets {
  /** Sets what the mail server does instead of taking a mail. */
  setMailFault(fault: MailFault | undefined): void;
  /** The folder for temporary files of the gateways, of a file system of its own; undefined where none could be made. */
  smallFolder: string | undefined;
  /** Makes a webhook to this URL on a repository of the load, and returns what deletes it. */
  makeHook(url: string): Promise<() => Promise<void>>;
}

/** Faults of what a gateway uses, each of which ends by itself. */
export function faultsOf({ setMailFault, smallFolder, makeHook }: FaultTargets): Victim[] {
  const slowMail =
    (fault: MailFault): Victim =>
    async () => {
      setMailFault(fault);
      await delay(6_000);
      setMailFault(undefined);
      return { name: `mail server: ${fault}`, lastedMs: 6_000 };
    };
  const namesFail: Victim = async () => {
    // RFC 6761: no resolver knows a name below it.
    const remove = await makeHook('http://portico.invalid/');
    await delay(5_000);
    await remove();
    return { name: 'names that do not resolve', lastedMs: 5_000 };
  };
  const fullFolder: Victim = async () => {
    if (smallFolder === undefined) return { name: 'none: no file system can be made', lastedMs: 0 };
    const { bavail, bsize } = statfsSync(smallFolder);
    const filler = join(smallFolder, 'filler');
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - 4_096)));
    await delay(5_000);
    rmSync(filler);
    return { name: 'full folder for temporary files', lastedMs: 5_000 };
  };
  return [frozenPrimary, fewDescriptors, slowMail('421'), slowMail('451'), slowMail('silent'), namesFail, fullFolder];
}

/** Every process of the primary stops, and its connections stay open. */
const frozenPrimary: Victim = async ({ primary }) => {
  const postmaster = primary.program.pid;
  if (postmaster === undefined) return 'none';
  const all = [postmaster, ...childrenOf(postmaster)];
  for (const pid of all) process.kill(pid, 'SIGSTOP');
  await delay(8_000);
  for (const pid of all) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // It was killed by the limit of a statement.
    }
  }
  return { name: 'primary frozen', lastedMs: 8_000 };
};

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => {
      try {
        return pid > 0 && Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) === parent;
      } catch {
        return false;
      }
    });
}

/** A gateway has as many descriptors as it may have, and needs more. */
const fewDescriptors: Victim = async ({ gateways }, pick) => {
  const program = gateways[pick(gateways.length)]?.program;
  const pid = program?.pid;
  if (program === undefined || pid === undefined) return 'none';
  const open = readdirSync(`/proc/${pid}/fd`).length;
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
  const [, soft = '1024'] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  spawnSync('prlimit', ['--pid', String(pid), `--nofile=${open + 4}:`]);
  await delay(5_000);
  spawnSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
  return { name: `${program.name} without descriptors`, lastedMs: 5_000 };
};

/** In which a job that died is noticed, and its gateway has started again. */
const maxRoundMs = 90_000;

/**
 * A job kills each process that runs it, until it is parked: a delivery to a receiver that kills whoever sends it. Returns how long that
 * took.
 */
export async function crashLoop(
  topology: Topology,
  { makeHook }: FaultTargets,
): Promise<{ name: string; lastedMs: number }> {
  const startedAt = Date.now();
  let arrived = (): void => {};
  const receiver = createServer(() => arrived());
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  let deaths = 0;
  try {
    const remove = await makeHook(`http://127.0.0.1:${port}/`);
    for (; deaths < maxDeaths; deaths++) {
      const arrival = new Promise<boolean>(resolve => {
        arrived = () => resolve(true);
      });
      if (!(await Promise.race([arrival, delay(maxRoundMs, false)]))) break;
      const sender = await programThatSendsTo(topology, port);
      if (sender !== undefined) await restarted(sender);
      if (deaths === 0) await remove();
    }
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
  await topology.isWhole();
  const rows = await topology.primary.query(
    'delete from jobs.attempt where parked_at is not null returning 1',
    'portico',
  );
  return {
    name: `a job that kills its process: ${deaths} deaths, ${rows.length > 0 ? 'parked' : 'not parked'}`,
    lastedMs: Date.now() - startedAt,
  };
}

async function programThatSendsTo({ gateways }: Topology, port: number) {
  const { stdout } = await execute('ss', ['-Htnp', 'state', 'established', `( dport = :${port} )`]);
  const pids = [...stdout.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid));
  return gateways.find(({ program }) => program.pid !== undefined && pids.includes(program.pid))?.program;
}
