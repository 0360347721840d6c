import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { crashLoop, type FaultTargets, faultsOf } from '../test/topology/faults.ts';
import { MailServer } from '../test/topology/mail-server.ts';
import { MixedLoad, readDemoWorld } from '../test/topology/mixed-load.ts';
import { type Kill, randomKills } from '../test/topology/random-kills.ts';
import { missingPrograms, Topology } from '../test/topology/topology.ts';
import { build, isStale } from './build.ts';

const usage = `npm run soak -- [--minutes <n>] [--kills <n>] [--seed <n>]

Starts the servers of ops/compose.yaml on 127.0.0.1, sends requests of both APIs, of GraphQL and of git to them, makes one fault after
the other at random, and reads every acknowledged write back at the end. The faults: each process is killed, the database freezes, a
gateway has no descriptors, the mail server answers 421, 451 or not at all, names do not resolve, the folder for temporary files is full,
and once a job kills the processes that run it.

  --minutes <n>   ends after this time, 10 when neither is given
  --kills <n>     ends after this number of faults; 0 makes none
  --seed <n>      decides the order of the faults, 1 when absent`;

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}".\n\n${usage}`);
  return Number(text);
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string' },
      kills: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const kills = readNumber('kills', values.kills);
  const minutes = readNumber('minutes', values.minutes) ?? (kills === undefined || kills === 0 ? 10 : undefined);
  const seed = readNumber('seed', values.seed) ?? 1;
  if (missingPrograms.length > 0)
    throw new Error(`A topology needs ${missingPrograms.join(', ')}. Install Debian's packages of that name.`);
  if (isStale()) build();
  const mails = new MailServer();
  const smallFolder = mountSmallFolder();
  let topology: Topology | undefined;
  try {
    topology = await Topology.start({
      secretKey: 'a secret of a topology on one machine',
      settings: {
        SEED: 'demo',
        RATE_LIMIT_FACTOR: '100000',
        SMTP_URL: await mails.listen(),
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
        ...(smallFolder === undefined ? {} : { TMPDIR: smallFolder.path }),
      },
      onProgress: text => console.log(`Starting ${text}…`),
    });
    await soak({ topology, mails, smallFolder: smallFolder?.path }, kills ?? Number.POSITIVE_INFINITY, minutes, seed);
  } finally {
    await topology?.close();
    mails.close();
    smallFolder?.remove();
  }
}

/** A file system of 64 MB for temporary files; undefined where this account may mount none. */
function mountSmallFolder(): { path: string; remove(): void } | undefined {
  const path = mkdtempSync(join(tmpdir(), 'portico-soak-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', path]).status !== 0) {
    console.log('No file system can be mounted: the folder for temporary files does not become full.');
    rmSync(path, { recursive: true });
    return undefined;
  }
  const remove = (): void => {
    spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return { path, remove };
}

interface Soaked {
  topology: Topology;
  mails: MailServer;
  smallFolder: string | undefined;
}

async function soak(
  { topology, mails, smallFolder }: Soaked,
  kills: number,
  minutes: number | undefined,
  seed: number,
): Promise<void> {
  const folder = join(topology.folder, 'clones');
  mkdirSync(folder);
  const load = new MixedLoad({
    url: topology.url,
    demo: readDemoWorld(join(topology.folder, 'gateway-1')),
    folder,
    mails: mails.taken,
  });
  const targets: FaultTargets = {
    setMailFault: fault => {
      mails.fault = fault;
    },
    smallFolder,
    makeHook: url => load.makeHook(url),
  };
  const startedAt = Date.now();
  const until = minutes === undefined ? undefined : startedAt + minutes * 60_000;
  await load.start();
  if (kills > 0) {
    const { name, lastedMs } = await crashLoop(topology, targets);
    console.log(`${name}, ${(lastedMs / 1000).toFixed(0)} s`);
  }
  const done = await randomKills({
    topology,
    load: load.http,
    kills,
    faults: faultsOf(targets),
    seed,
    ...(until === undefined ? {} : { until }),
    onKill: kill => console.log(formatKill(kill)),
  });
  if (until !== undefined) await delay(Math.max(0, until - Date.now()));
  await load.stop();
  const problems = await load.problems();
  const { counts, defects } = load.http;
  const seconds = (Date.now() - startedAt) / 1000;
  const slow = done.filter(({ recoveryMs }) => recoveryMs > 10_000);
  console.log(`
faults                ${done.length}, seed ${seed}, ${seconds.toFixed(0)} s
requests answered     ${counts.answered}, and ${load.clones} clones
503 with Retry-After  ${counts.unavailable} by gateways, ${counts.noGateway} by HAProxy
connections cut       ${counts.cut}
acknowledged writes   ${Object.entries(load.acknowledged)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')}
lost or doubled       ${problems.length}
other 5xx, surprises  ${defects.length}
slowest recovery      ${(Math.max(0, ...done.map(({ recoveryMs }) => recoveryMs)) / 1000).toFixed(1)} s
slower than 10 s      ${slow.length}`);
  for (const problem of [...problems, ...defects]) console.log(`  ${problem}`);
  if (problems.length + defects.length + slow.length > 0) process.exitCode = 1;
}

const formatKill = ({ victim, recoveryMs, wholeMs, unavailable, cut }: Kill): string =>
  `${victim.padEnd(42)} recovered ${(recoveryMs / 1000).toFixed(1).padStart(4)} s, whole ${(wholeMs / 1000).toFixed(1).padStart(4)} s, ${unavailable} × 503, ${cut} cut`;

// The servers end with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
await main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
