import { GitError } from './git-error.ts';
import { createObject, type Oid } from './object.ts';

/** A tree entry. Names are bytes: git prescribes no encoding. */
export interface TreeEntry {
  /** Octal digits as they are stored: 100644, 100755, 120000, 160000, 40000; old trees contain others. */
  mode: string;
  name: Buffer;
  oid: Oid;
}

/** The kind of an entry, derived from its mode. */
export type EntryKind = 'file' | 'directory' | 'symlink' | 'submodule';

export const modes = {
  file: '100644',
  executable: '100755',
  symlink: '120000',
  submodule: '160000',
  directory: '40000',
} as const;

/** Derives the kind as git does: unknown modes are files. */
export function entryKind(mode: string): EntryKind {
  switch (Number.parseInt(mode, 8) & 0o170000) {
    case 0o040000:
      return 'directory';
    case 0o120000:
      return 'symlink';
    case 0o160000:
      return 'submodule';
    default:
      return 'file';
  }
}

/** The mode as git compares it: without leading zeros, file modes reduced to two (100664 becomes 100644). */
export function canonicalMode(mode: string): string {
  const kind = entryKind(mode);
  if (kind !== 'file') return modes[kind];
  return Number.parseInt(mode, 8) & 0o100 ? modes.executable : modes.file;
}

/** A parsed tree. */
export class Tree {
  readonly entries: readonly TreeEntry[];
  #byName: Map<string, TreeEntry> | undefined;

  constructor(entries: readonly TreeEntry[]) {
    this.entries = entries;
  }

  /** By name, as latin1 characters. */
  get(name: string): TreeEntry | undefined {
    // The first of two entries with one name counts, as in git. Only a corrupt tree has them.
    if (!this.#byName) {
      this.#byName = new Map();
      for (const entry of this.entries) {
        const key = entry.name.toString('latin1');
        if (!this.#byName.has(key)) this.#byName.set(key, entry);
      }
    }
    return this.#byName.get(name);
  }
}

/**
 * Parses the entries in stored order. `subject` identifies the tree in errors.
 * @throws GitError `corrupt`
 */
export function parseTree(content: Buffer, subject: string): Tree {
  const entries: TreeEntry[] = [];
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const end = space < 0 ? -1 : content.indexOf(0, space);
    if (end < 0 || end + 21 > content.length || space === at || end === space + 1) {
      throw new GitError('corrupt', subject, `The tree ${subject} is damaged at byte ${at}.`);
    }
    const mode = content.toString('latin1', at, space);
    if (!/^[0-7]{1,7}$/.test(mode)) {
      throw new GitError('corrupt', subject, `The tree ${subject} has a mode that is no number at byte ${at}.`);
    }
    entries.push({ mode, name: content.subarray(space + 1, end), oid: content.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return new Tree(entries);
}

/** The tree without entries. git has it in every repository; here it is stored with what refers to it. */
export const emptyTree = createObject('tree', Buffer.alloc(0));

/** Encodes the entries, sorted as git requires. */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  const sorted = [...entries].sort(compareTreeEntries);
  const parts: Buffer[] = [];
  for (const entry of sorted) {
    parts.push(Buffer.from(`${entry.mode} `, 'latin1'), entry.name, Buffer.from(`00${entry.oid}`, 'hex'));
  }
  return Buffer.concat(parts);
}

/** Byte order in which a directory name is compared as if it ended in a slash: `a.c` < directory `a` < `a0`. */
export function compareTreeEntries(one: TreeEntry, other: TreeEntry): number {
  const length = Math.min(one.name.length, other.name.length);
  const order = one.name.compare(other.name, 0, length, 0, length);
  return order !== 0 ? order : byteAt(one, length) - byteAt(other, length);
}

function byteAt(entry: TreeEntry, at: number): number {
  return entry.name[at] ?? (entryKind(entry.mode) === 'directory' ? 0x2f : 0);
}
