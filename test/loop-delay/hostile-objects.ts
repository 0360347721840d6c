import { randomBytes } from 'node:crypto';
import { createObject, type GitObject, type Oid } from '../../src/git/object.ts';
import { encodeTree, modes, type TreeEntry } from '../../src/git/tree.ts';

/** Objects of a hostile repository, with the refs that point to them. */
export interface HostileObjects {
  objects: GitObject[];
  /** Ids by full name. */
  refs: Record<string, Oid>;
}

/** Text that no other try has. */
export const nonce = (): string => randomBytes(8).toString('hex');

const seconds = 1_790_000_000;
const person = (at: number): string => `A U Thor <author@example.org> ${seconds + at} +0000`;

export interface HostileCommit {
  tree: Oid;
  parents?: readonly Oid[];
  /** Raw lines after `committer`, each with its line feed. */
  headers?: string;
  message?: string;
  /** Seconds after the first commit. */
  at?: number;
}

export function commitOf({
  tree,
  parents = [],
  headers = '',
  message = 'A change\n',
  at = 0,
}: HostileCommit): GitObject {
  const lines = parents.map(parent => `parent ${parent}\n`).join('');
  const text = `tree ${tree}\n${lines}author ${person(at)}\ncommitter ${person(at)}\n${headers}\n${message}`;
  return createObject('commit', Buffer.from(text, 'latin1'));
}

export function tagOf(
  target: Oid,
  { headers = '', message = 'A tag\n' }: { headers?: string; message?: string } = {},
): GitObject {
  const text = `object ${target}\ntype commit\ntag hostile\ntagger ${person(0)}\n${headers}\n${message}`;
  return createObject('tag', Buffer.from(text, 'latin1'));
}

export const blobOf = (text: string | Buffer): GitObject => createObject('blob', Buffer.from(text));

export const entryOf = (name: string, { oid, type }: Pick<GitObject, 'oid' | 'type'>): TreeEntry => ({
  mode: type === 'tree' ? modes.directory : modes.file,
  name: Buffer.from(name, 'latin1'),
  oid,
});

export const treeOf = (entries: readonly TreeEntry[]): GitObject => createObject('tree', encodeTree(entries));

/** A tree with these files; objects with their blobs. Names have no slash. */
export function filesOf(files: Record<string, string | Buffer>): { tree: GitObject; objects: GitObject[] } {
  const blobs = Object.entries(files).map(([name, text]) => [name, blobOf(text)] as const);
  const tree = treeOf(blobs.map(([name, blob]) => entryOf(name, blob)));
  return { tree, objects: [...blobs.map(([, blob]) => blob), tree] };
}

/** One commit on `main` with these files. */
export function repositoryOf(files: Record<string, string | Buffer>): HostileObjects {
  const { tree, objects } = filesOf({ nonce: nonce(), ...files });
  const commit = commitOf({ tree: tree.oid });
  return { objects: [...objects, commit], refs: { 'refs/heads/main': commit.oid } };
}

/** `depth` trees of `width` entries that are all the tree below: `width ** depth` files in `depth + 1` objects. */
export function bombTrees(depth: number, width = 10, leaf = nonce()): { root: GitObject; objects: GitObject[] } {
  const blob = blobOf(leaf);
  const objects: GitObject[] = [blob];
  let below = blob;
  for (let level = 0; level < depth; level++) {
    const at = below;
    below = treeOf(Array.from({ length: width }, (_, n) => entryOf(`n${n}`, at)));
    objects.push(below);
  }
  return { root: below, objects };
}

/** The twelve objects of the measured attack: 10^10 files in one commit. */
export function treeBomb(depth = 10): HostileObjects {
  const { root, objects } = bombTrees(depth);
  const commit = commitOf({ tree: root.oid });
  return { objects: [...objects, commit], refs: { 'refs/heads/main': commit.oid } };
}

/** Two commits whose trees differ in every file of a bomb. */
export function changedBomb(depth = 10): HostileObjects {
  const [before, after] = [bombTrees(depth), bombTrees(depth)];
  const first = commitOf({ tree: before.root.oid });
  const second = commitOf({ tree: after.root.oid, parents: [first.oid], at: 1 });
  return {
    objects: [...before.objects, ...after.objects, first, second],
    refs: { 'refs/heads/main': second.oid, 'refs/heads/before': first.oid },
  };
}

/** Three bombs: a base, and two branches that both change everything, each at one half of the names. */
export function mergeBomb(depth = 20): HostileObjects {
  const half = (base: GitObject, name: string): GitObject[] => {
    let [left, right] = [base, blobOf(`${name} ${nonce()}`)];
    const objects = [right];
    for (let level = 0; level < depth; level++) {
      const [one, other] = [left, right];
      const next = treeOf([entryOf('a', other), entryOf('b', other)]);
      left = treeOf([entryOf('a', one), entryOf('b', one)]);
      right = next;
      objects.push(next);
    }
    return objects;
  };
  const leaf = blobOf(nonce());
  const base = bombTrees(depth, 2);
  const sides = ['ours', 'theirs'].map(name => {
    const objects = half(leaf, name);
    return { root: objects.at(-1) ?? leaf, objects };
  });
  const first = commitOf({ tree: base.root.oid });
  const tips = sides.map(({ root }, n) => commitOf({ tree: root.oid, parents: [first.oid], at: 1 + n }));
  return {
    objects: [...base.objects, leaf, ...sides.flatMap(({ objects }) => objects), first, ...tips],
    refs: {
      'refs/heads/main': tips[0]?.oid ?? '',
      'refs/heads/side': tips[1]?.oid ?? '',
    },
  };
}

/** The merge bomb without a conflict: each side adds a file of its own to every directory. */
export function cleanMergeBomb(depth = 16): HostileObjects {
  const blob = blobOf(nonce());
  const grow = (extra?: string): GitObject[] => {
    let below = blob;
    const objects: GitObject[] = [];
    for (let level = 0; level < depth; level++) {
      const at = below;
      const entries = ['a', 'b'].map(name => entryOf(name, at));
      below = treeOf(extra === undefined ? entries : [...entries, entryOf(extra, blob)]);
      objects.push(below);
    }
    return objects;
  };
  const [base, ours, theirs] = [grow(), grow('ours'), grow('theirs')];
  const first = commitOf({ tree: base.at(-1)?.oid ?? '' });
  const main = commitOf({ tree: ours.at(-1)?.oid ?? '', parents: [first.oid], at: 1 });
  const side = commitOf({ tree: theirs.at(-1)?.oid ?? '', parents: [first.oid], at: 2 });
  return {
    objects: [blob, ...base, ...ours, ...theirs, first, main, side],
    refs: { 'refs/heads/main': main.oid, 'refs/heads/side': side.oid },
  };
}

/** One file below so many directories. */
export function deepTree(depth: number, name = 'd'): HostileObjects {
  let below = blobOf(nonce());
  const objects = [below];
  for (let level = 0; level < depth; level++) {
    below = treeOf([entryOf(name, below)]);
    objects.push(below);
  }
  const commit = commitOf({ tree: below.oid });
  return { objects: [...objects, commit], refs: { 'refs/heads/main': commit.oid } };
}

/** One directory with so many names of one file, below so many others. */
export function wideTree(entries: number, depth = 0): HostileObjects {
  const blob = blobOf(nonce());
  const name = Buffer.from(blob.oid, 'hex');
  // Sorted as git does: all names have one length.
  const content = Buffer.concat(
    Array.from({ length: entries }, (_, n) =>
      Buffer.concat([Buffer.from(`100644 ${String(n).padStart(7, '0')}\0`, 'latin1'), name]),
    ),
  );
  const trees = [createObject('tree', content)];
  for (let level = 0; level < depth; level++) trees.push(treeOf([entryOf('d', trees.at(-1) ?? blob)]));
  const commit = commitOf({ tree: (trees.at(-1) ?? blob).oid });
  return { objects: [blob, ...trees, commit], refs: { 'refs/heads/main': commit.oid } };
}

/** `roots` commits without parents below two octopus merges, each of all of them. */
export function octopus(roots: number): HostileObjects {
  const { tree, objects } = filesOf({ nonce: nonce() });
  const commits = Array.from({ length: roots }, (_, n) => commitOf({ tree: tree.oid, message: `root ${n}\n`, at: n }));
  const parents = commits.map(({ oid }) => oid);
  const tips = [1, 2].map(n => commitOf({ tree: tree.oid, parents, message: `merge ${n}\n`, at: roots + n }));
  return {
    objects: [...objects, ...commits, ...tips],
    refs: { 'refs/heads/main': tips[0]?.oid ?? '', 'refs/heads/side': tips[1]?.oid ?? '' },
  };
}

/** Two lines that merge each other at every step: every pair of commits is a pair of merge bases. */
export function crissCross(steps: number): HostileObjects {
  const { tree, objects } = filesOf({ nonce: nonce() });
  let [one, other] = ['one', 'other'].map((name, n) => commitOf({ tree: tree.oid, message: `${name}\n`, at: n }));
  const commits: GitObject[] = [];
  for (let step = 0; step < steps && one && other; step++) {
    commits.push(one, other);
    const [left, right] = [one.oid, other.oid];
    one = commitOf({ tree: tree.oid, parents: [left, right], message: `one ${step}\n`, at: 2 * step + 2 });
    other = commitOf({ tree: tree.oid, parents: [right, left], message: `other ${step}\n`, at: 2 * step + 3 });
  }
  if (one && other) commits.push(one, other);
  return {
    objects: [...objects, ...commits],
    refs: { 'refs/heads/main': one?.oid ?? '', 'refs/heads/side': other?.oid ?? '' },
  };
}

/** A line of so many commits, each with the files that `change` returns for its number. */
export function line(length: number, change: (at: number) => Record<string, string>): HostileObjects {
  const objects: GitObject[] = [];
  let parent: Oid | undefined;
  const base = nonce();
  for (let at = 0; at < length; at++) {
    const { tree, objects: files } = filesOf({ nonce: base, ...change(at) });
    const commit = commitOf({ tree: tree.oid, parents: parent === undefined ? [] : [parent], message: `${at}\n`, at });
    objects.push(...files, commit);
    parent = commit.oid;
  }
  return { objects, refs: { 'refs/heads/main': parent ?? '' } };
}

/** One commit with these header lines or this message. */
export function oneCommit(options: Omit<HostileCommit, 'tree'>): HostileObjects {
  const { tree, objects } = filesOf({ nonce: nonce() });
  const commit = commitOf({ tree: tree.oid, ...options });
  return { objects: [...objects, commit], refs: { 'refs/heads/main': commit.oid } };
}

/** So many lines that continue the header before. */
export const continued = (name: string, lines: number): string =>
  `${name} -----BEGIN PGP SIGNATURE-----\n${` ${'x'.repeat(4)}\n`.repeat(lines)} -----END PGP SIGNATURE-----\n`;
