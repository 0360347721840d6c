import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { chooseAccount, chownToOwnerOf, type OsAccount } from './embedded-account.ts';
import { hasCode, messageOf } from './embedded-error.ts';
import { isAlive } from './embedded-pid.ts';
import { type Launcher, launcherFor, locatePrograms, type Programs, runProgram } from './embedded-programs.ts';

/** A data folder from which a server can be started. */
export interface PreparedCluster {
  /** Absolute and without symbolic links, as the server reports it in `data_directory`. */
  readonly dataDirectory: string;
  readonly logFile: string;
  readonly password: string;
  readonly programs: Programs;
  readonly launch: Launcher;
  readonly settings: Record<string, string>;
  /** Called when a program has been launched that is waited for. */
  readonly meanwhile: () => void;
}

/**
 * Creates the data folder, its password and its cluster where they are missing, and removes what killed runs left unfinished.
 * Several processes may run it at the same time. `settings.fsync === 'off'` also skips the fsync of the new cluster.
 *
 * @throws Error with a message for the operator: no permission, no programs, no account, or the output of initdb
 */
export async function prepareCluster(
  dataFolder: string,
  settings: Record<string, string>,
  meanwhile: () => void,
): Promise<PreparedCluster> {
  const programs = await locatePrograms();
  const fresh = createFolder(resolve(dataFolder));
  const root = fs.realpathSync(dataFolder);
  const dataDirectory = join(root, 'postgres');
  const account = chooseAccount(dataDirectory);
  try {
    if (account !== null && fresh) openToGroup(root, account);
    if (account !== null) chownFilesOfRoot(dataDirectory, account);
    removeAbandonedFolders(root);
    const password = readOrCreatePassword(root, dataDirectory);
    const launch = launcherFor(account, programs, root);
    const logFile = join(root, 'postgres.log');
    const cluster = { dataDirectory, logFile, password, programs, launch, settings, meanwhile };
    if (!fs.existsSync(join(dataDirectory, 'PG_VERSION'))) await createCluster(cluster, root, account);
    return cluster;
  } catch (cause) {
    if (!isPermissionError(cause)) throw cause;
    const needed =
      account === null
        ? `${root} and all in it must belong to the account that runs the gateway`
        : `As root the gateway hands the database to another account (${account.name}), which takes the capabilities ` +
          'CHOWN, SETUID and SETGID; grant them, or start the gateway as an ordinary user';
    throw new Error(`${cause.message}. ${needed}, ${remedies}`, { cause });
  }
}

/** Whether the data folder has a cluster; otherwise the next opening creates one. */
export const hasCluster = (dataFolder: string): boolean =>
  fs.existsSync(join(resolve(dataFolder), 'postgres', 'PG_VERSION'));

const remedies = 'or give this gateway its own PORTICO_DATA, or set DATABASE_URL to a PostgreSQL server of your own.';

function createFolder(path: string): boolean {
  try {
    return fs.mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined;
  } catch (cause) {
    if (!isPermissionError(cause)) throw cause;
    throw new Error(`${cause.message}. Create ${path} for the account that runs the gateway, ${remedies}`, { cause });
  }
}

/** With mode 0700 the server's account would need a capability to enter the folder; 0710 lets its group pass through. */
function openToGroup(root: string, { gid }: OsAccount): void {
  fs.chownSync(root, 0, gid);
  fs.chmodSync(root, 0o710);
}

/** A cluster that belongs to root is a copy that an operator restored; the server would refuse to run on it. */
function chownFilesOfRoot(cluster: string, { uid, gid }: OsAccount): void {
  if (fs.statSync(cluster, { throwIfNoEntry: false })?.uid !== 0) return;
  for (const name of fs.readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    fs.lchownSync(join(cluster, name), uid, gid);
  }
  fs.lchownSync(cluster, uid, gid); // last, so that the next run repeats an interrupted one
}

/**
 * The process id in the name tells whether the run that created the folder is alive; no initdb takes an hour. An initdb that
 * outlived its gateway may still be writing there; the next opening removes what remains.
 */
function removeAbandonedFolders(root: string): void {
  for (const name of fs.readdirSync(root)) {
    const pid = Number(/^postgres\.new-(\d+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid)) continue;
    const path = join(root, name);
    const age = Date.now() - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    const live = pid === process.pid ? foldersInProgress.has(path) : isAlive(pid) && age < 3_600_000;
    if (!live) removeFolder(path);
  }
}

function removeFolder(path: string): void {
  try {
    fs.rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'ENOENT')) throw error;
  }
}

/** Temporary folders of this process, which may open several data folders, or one of them twice. */
const foldersInProgress = new Set<string>();

/**
 * The password is created before the first cluster and linked into place atomically: of two processes that start together one
 * link succeeds, and both use its password, whichever cluster is kept.
 */
function readOrCreatePassword(root: string, cluster: string): string {
  const path = join(root, 'postgres.password');
  const known = readIfExists(path);
  if (known !== null) return known;
  if (fs.existsSync(join(cluster, 'PG_VERSION'))) {
    throw new Error(
      `${path} is missing, and without it the database in ${cluster} cannot be opened. Put the file back from a ` +
        'backup, or move both away to start empty.',
    );
  }
  const temporaryPath = join(root, `postgres.new-${process.pid}-${randomBytes(6).toString('hex')}`);
  writeAndFsync(temporaryPath, `${randomBytes(24).toString('base64url')}\n`);
  try {
    fs.linkSync(temporaryPath, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    fs.rmSync(temporaryPath, { force: true });
  }
  return readIfExists(path) ?? '';
}

function readIfExists(path: string): string | null {
  try {
    return fs.readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * initdb runs in a sibling folder that is renamed into place when it is complete and synced. A kill leaves no incomplete
 * cluster, and of two processes one rename succeeds. Rejected: to sync later, while the server starts. Measured on 2 cores, initdb
 * takes 0.82 s with its own sync and 0.78 s without.
 */
async function createCluster(cluster: PreparedCluster, root: string, account: OsAccount | null): Promise<void> {
  const workFolder = join(root, `postgres.new-${process.pid}-${randomBytes(6).toString('hex')}`);
  const passwordFile = join(workFolder, 'password');
  foldersInProgress.add(workFolder);
  try {
    fs.mkdirSync(workFolder, { mode: 0o700 });
    fs.writeFileSync(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
    if (account !== null) for (const path of [workFolder, passwordFile]) fs.chownSync(path, account.uid, account.gid);
    await runInitdb(cluster, join(workFolder, 'cluster'), passwordFile);
    moveIntoPlace(join(workFolder, 'cluster'), cluster.dataDirectory);
    fsyncFolder(root);
  } finally {
    removeFolder(workFolder);
    foldersInProgress.delete(workFolder);
  }
}

async function runInitdb(
  { launch, programs, settings, meanwhile }: PreparedCluster,
  target: string,
  passwordFile: string,
): Promise<void> {
  const args = [
    `--pgdata=${target}`,
    '--username=portico',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The built-in C.UTF-8 compares by code point and folds case of every letter (ILIKE, lower) by tables inside
    // PostgreSQL, so neither indexes nor answers change with the operating system's libc or ICU.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(settings.fsync === 'off' ? ['--no-sync'] : []),
  ];
  try {
    // Full-text search uses libc to classify characters: under C "don’t—stop" is one word and «élan» keeps its quotes. No index
    // order depends on it.
    const done = runProgram(launch(programs.initdb, [...args, '--lc-ctype=C.UTF-8']));
    meanwhile();
    await done;
  } catch (error) {
    if (!messageOf(error).includes('invalid locale name')) throw error;
    await runProgram(launch(programs.initdb, args)); // a system without C.UTF-8, such as older macOS
  }
}

function moveIntoPlace(source: string, cluster: string): void {
  try {
    fs.renameSync(source, cluster);
  } catch (cause) {
    if (fs.existsSync(join(cluster, 'PG_VERSION'))) return; // another process was first; both clusters are equal
    throw new Error(`${cluster} is in the way: it is not a PostgreSQL cluster. Move it away and start again.`, {
      cause,
    });
  }
}

function writeAndFsync(path: string, text: string): void {
  const file = fs.openSync(path, 'wx', 0o600);
  try {
    chownToOwnerOf(dirname(path), file);
    fs.writeSync(file, text);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Syncs the folder, so that a rename in it survives a power failure. Windows cannot open folders and does not need it. */
function fsyncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const file = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

function isPermissionError(error: unknown): error is { code: string; message: string } {
  return hasCode(error, 'EACCES', 'EPERM', 'EROFS');
}
