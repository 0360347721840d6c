import { sortInTurns } from '../workers/sort-in-turns.ts';
import type { WorkBudget } from '../workers/work-budget.ts';
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
    if (!this.#byName) {
      this.#byName = new Map();
      for (const entry of this.entries) addByName(this.#byName, entry);
    }
    return this.#byName.get(name);
  }

  /** Builds the index of `get`, with turns of the event loop. */
  async index(budget: WorkBudget): Promise<void> {
    const byName = new Map<string, TreeEntry>();
    for (const entry of this.entries) {
      addByName(byName, entry);
      budget.spendSteps();
      if (budget.isTurnDue) await budget.turn();
    }
    this.#byName = byName;
  }
}

/** The first of two entries with one name counts, as in git. Only a corrupt tree has them. */
function addByName(byName: Map<string, TreeEntry>, entry: TreeEntry): void {
  const key = entry.name.toString('latin1');
  if (!byName.has(key)) byName.set(key, entry);
}

/**
 * Parses the entries in stored order. `subject` identifies the tree in errors.
 * @throws GitError `corrupt`
 */
export function parseTree(content: Buffer, subject: string): Tree {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) at = parseEntry(content, at, subject, entries);
  return new Tree(entries);
}

/** The same with turns of the event loop, for trees of which one slice would be too long. @throws GitError `corrupt`; WorkBudgetError */
export async function parseTreeInTurns(content: Buffer, subject: string, budget: WorkBudget): Promise<Tree> {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) {
    at = parseEntry(content, at, subject, entries);
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
  }
  return new Tree(entries);
}

/** Adds the entry at an offset. Returns the offset of the next one. */
function parseEntry(content: Buffer, at: number, subject: string, entries: TreeEntry[]): number {
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
  return end + 21;
}

/** The tree without entries. git has it in every repository; here it is stored with what refers to it. */
export const emptyTree = createObject('tree', Buffer.alloc(0));

/** Encodes the entries, sorted as git requires. */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  return Buffer.concat([...entries].sort(compareTreeEntries).map(encodeEntry));
}

/** The same with turns of the event loop. @throws WorkBudgetError */
export async function encodeTreeInTurns(entries: readonly TreeEntry[], budget: WorkBudget): Promise<Buffer> {
  const sorted = [...entries];
  await sortInTurns(sorted, compareTreeEntries, budget);
  const parts: Buffer[] = [];
  for (const entry of sorted) {
    parts.push(encodeEntry(entry));
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
  }
  return Buffer.concat(parts);
}

function encodeEntry({ mode, name, oid }: TreeEntry): Buffer {
  const encoded = Buffer.allocUnsafe(mode.length + name.length + 22);
  encoded.write(`${mode} `, 'latin1');
  name.copy(encoded, mode.length + 1);
  encoded[mode.length + 1 + name.length] = 0;
  encoded.write(oid, mode.length + name.length + 2, 'hex');
  return encoded;
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
