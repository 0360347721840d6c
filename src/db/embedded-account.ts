import { fchownSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The operating system account that initdb and postgres run as when the gateway runs as root. */
export interface OsAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Chooses the account of the server: `null` is the account of this process, any other one is used only under root, because
 * postgres and initdb refuse uid 0. Rejected: to create an account. That would change the machine without its owner's knowledge,
 * survive the removal of the project and fail in read-only containers; `postgres` or `nobody` nearly always exists. An existing
 * cluster keeps its owner, so root can use the folder of an ordinary user without changing it.
 *
 * @throws Error with a message for the operator: the cluster belongs to another user, or there is no account to use
 */
export function chooseAccount(cluster: string): OsAccount | null {
  const self = process.geteuid?.(); // absent on Windows, where postgres drops administrator rights by itself
  if (self === undefined) return null;
  const owner = ownerOf(cluster);
  if (self !== 0) {
    if (owner !== undefined && owner.uid !== self) throw new Error(foreignClusterMessage(cluster, owner.uid, self));
    return null;
  }
  if (owner !== undefined && owner.uid !== 0) return { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const account = findAccount('postgres') ?? findAccount('nobody');
  if (account !== null) return account;
  throw new Error(
    'PostgreSQL refuses to run as root, and /etc/passwd has neither a "postgres" nor a "nobody" account to run it as. ' +
      'Start the gateway as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.',
  );
}

/**
 * The first folder above `path`, or `path` itself, that the account cannot access; null when it can access all. The folders need
 * search permission, `path` needs `bits` (octal, 0o5 = read and execute). Only mode bits are read: where an access control list
 * differs, the worst case is an unneeded capability. `path` must be absolute and contain no symbolic links.
 */
export function firstInaccessiblePath(path: string, account: OsAccount, bits: number): string | null {
  const parents: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    parents.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  return parents.find(folder => !hasModeBits(folder, account, 0o1)) ?? (hasModeBits(path, account, bits) ? null : path);
}

/** Whether the mode bits of one file or folder grant `bits` to the account. Does not check the folders above. */
export function hasModeBits(path: string, account: OsAccount, bits: number): boolean {
  const { uid, gid, mode } = statSync(path);
  const granted = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode;
  return (granted & bits) === bits;
}

/**
 * Under root, gives a new file to the owner of its folder, who otherwise could not open it later. Does nothing for other users.
 * `file` is a file descriptor.
 */
export function chownToOwnerOf(folder: string, file: number): void {
  const { uid, gid } = statSync(folder);
  if (process.geteuid?.() === 0 && uid !== 0) fchownSync(file, uid, gid);
}

function ownerOf(cluster: string): Stats | undefined {
  try {
    return statSync(cluster, { throwIfNoEntry: false });
  } catch (cause) {
    throw new Error(
      `No access to ${cluster}: the folder above it belongs to another user, probably from an earlier run as root. ` +
        'Run as that user again, give this gateway its own PORTICO_DATA, or set DATABASE_URL.',
      { cause },
    );
  }
}

function foreignClusterMessage(cluster: string, owner: number, self: number): string {
  return (
    `The database in ${cluster} belongs to uid ${owner}, and this process is uid ${self}; it was probably made by an ` +
    `earlier run as root. Run as root again, or hand it over once the server is stopped with ` +
    `"sudo chown -R ${self} ${dirname(cluster)}", or give this gateway its own PORTICO_DATA, or set DATABASE_URL.`
  );
}

function findAccount(name: string): OsAccount | null {
  let table = '';
  try {
    table = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return null; // an image without the file has no accounts either
  }
  // recheck-ignore: /etc/passwd
  const match = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(table);
  return match === null ? null : { name, uid: Number(match[1]), gid: Number(match[2]) };
}
