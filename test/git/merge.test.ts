import { describe, expect, test } from '@jest/globals';
import { mergeCommits } from '../../src/git/merge-commits.ts';
import { MergeConflict } from '../../src/git/merge-conflict.ts';
import { createObject } from '../../src/git/object.ts';
import { assertConnected } from '../../src/git/reachable.ts';
import { statObjects } from '../../src/git/read-objects.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { numbers } from './random-history.ts';
import { cold, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();
const git = SystemGit.create();
const [major = 0, minor = 0] = git.run('version').replace('git version ', '').split('.').map(Number);
/** `merge-tree --write-tree` is of git 2.38. */
const withOracle = major > 2 || (major === 2 && minor >= 38) ? test : test.skip;

interface File {
  mode: string;
  /** The id of a commit for a submodule. */
  content: string;
}
type Files = Map<string, File>;
const pick = numbers(20_261_001);
let unique = 0;

const block = (name: string): string[] => [
  `function ${name}() {\n`,
  '  begin();\n',
  `  ${name};\n`,
  '  end();\n',
  '}\n',
  '\n',
];
const lines = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].flatMap(block);

/** Lines are changed, added and removed, and blocks are copied, on one side or on both. */
function edited(content: string): string {
  const changed = content.split(/(?<=\n)/);
  for (let count = 1 + pick(3); count > 0; count--) {
    const at = pick(changed.length + 1);
    // Both sides often make the same change.
    const text = pick(3) === 0 ? `shared ${at}\n` : `edit ${++unique}\n`;
    const from = pick(changed.length);
    if (pick(4) === 0) changed.splice(at, 0, ...changed.slice(from, from + 1 + pick(8)));
    else changed.splice(at, pick(3), ...(pick(4) === 0 ? [] : [text]));
  }
  return pick(12) === 0 ? changed.join('').replace(/\n$/, '') : changed.join('');
}

const paths = [
  'a',
  'b',
  'bin',
  'c.txt',
  'd/x',
  'd/y',
  'd/e/z',
  'd.txt',
  'link',
  'f/one',
  'f/two',
  'f/three',
  'module',
  'é/ü',
];

function firstFiles(): Files {
  const files: Files = new Map();
  for (const path of paths) {
    if (pick(6) === 0) continue;
    if (path === 'link') files.set(path, { mode: '120000', content: 'a' });
    else if (path === 'module') files.set(path, { mode: '160000', content: '1'.repeat(40) });
    else if (path === 'bin') files.set(path, { mode: '100644', content: `\0${unique}` });
    else files.set(path, { mode: '100644', content: `${path}\n${lines.slice(pick(6)).join('')}` });
  }
  return files;
}

const isFree = (files: Files, path: string): boolean =>
  !files.has(path) && ![...files.keys()].some(other => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));

function changed(base: Files): Files {
  const files: Files = new Map(base);
  const move = (from: string, to: string): void => {
    const file = files.get(from);
    if (!file || !isFree(files, to)) return;
    files.delete(from);
    files.set(to, { ...file, content: file.mode === '160000' || pick(2) === 0 ? file.content : edited(file.content) });
  };
  if (pick(4) === 0) {
    const [from, to] = pick(2) === 0 ? ['f/', 'g/'] : ['d/', ['new/d/', 'f/'][pick(2)] as string];
    for (const path of [...files.keys()]) if (path.startsWith(from)) move(path, to + path.slice(from.length));
  }
  if (pick(4) === 0) files.set(pick(2) === 0 ? 'f/four' : 'd/e/added', { mode: '100644', content: `${++unique}\n` });
  for (const path of paths) {
    const file = files.get(path);
    const chance = pick(20);
    if (chance > 7) continue;
    if (!file) {
      if (isFree(files, path)) files.set(path, { mode: '100644', content: `new ${pick(2)}\n` });
    } else if (file.mode === '160000') {
      files.set(path, { ...file, content: `${1 + pick(4)}`.repeat(40) });
    } else if (chance === 0) {
      files.delete(path);
    } else if (chance === 1) {
      files.set(path, { ...file, mode: file.mode === '100644' ? '100755' : file.mode });
    } else if (chance === 2 && pick(2) === 0) {
      files.delete(path);
      files.set(`${path}/below`, { mode: '100644', content: 'below\n' });
    } else if (chance <= 4) {
      move(path, ['moved', `${path}.new`, 'f/moved', 'd/x'][pick(4)] as string);
    } else {
      files.set(path, { ...file, content: edited(file.content) });
    }
  }
  return files;
}

/** A stream of `git fast-import` that makes one commit on a branch. */
function commitStream(branch: string, parents: readonly string[], files: Files, seconds: number): Buffer {
  const parts = [`commit refs/heads/${branch}\n`, `committer A <a@example.org> ${seconds} +0000\n`, 'data 1\nx\n'];
  parents.forEach((parent, at) => {
    parts.push(`${at === 0 ? 'from' : 'merge'} refs/heads/${parent}\n`);
  });
  parts.push('deleteall\n');
  for (const [path, { mode, content }] of files) {
    parts.push(
      mode === '160000'
        ? `M ${mode} ${content} ${path}\n`
        : `M ${mode} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
    );
  }
  return Buffer.from(`${parts.join('')}\n`);
}

// biome-ignore lint/style/noProcessEnv: more cases for a run by hand.
const count = Number(process.env.MERGE_CASES ?? 150);
const cases = Array.from({ length: count }, (_, n) => `case-${n}`);
const streams: Buffer[] = [];
for (const name of cases) {
  const base = firstFiles();
  streams.push(commitStream(name, [], base, 1_000));
  streams.push(commitStream(`${name}-ours`, [name], changed(base), 2_000));
  streams.push(commitStream(`${name}-theirs`, [name], changed(base), 3_000));
}

/** Both sides have merged the same two or three branches. Half of the commits have equal times. */
const crossed = Array.from({ length: Math.ceil(count / 5) }, (_, n) => `crossed-${n}`);
for (const name of crossed) {
  const time = (seconds: number): number => (pick(2) === 0 ? 1_000 : seconds);
  const base = firstFiles();
  const branches = Array.from({ length: 2 + pick(2) }, (_, at) => `${name}-${at}`);
  streams.push(commitStream(name, [], base, 1_000));
  const tips = branches.map(() => changed(base));
  for (const [at, branch] of branches.entries())
    streams.push(commitStream(branch, [name], tips[at] as Files, time(2_000 + at)));
  for (const [side, order] of [branches, branches.toReversed()].entries()) {
    const merged = tips[pick(tips.length)] as Files;
    streams.push(commitStream(`${name}-side-${side}`, order, pick(2) === 0 ? merged : changed(merged), time(3_000)));
    const end = ['ours', 'theirs'][side];
    streams.push(commitStream(`${name}-${end}`, [`${name}-side-${side}`], changed(merged), time(4_000 + side)));
  }
}
// Both sides have merged each other twice.
const twice = changed(firstFiles());
streams.push(commitStream('twice', [], twice, 1_000));
for (const [at, [one, other]] of [
  ['twice', 'twice'],
  ['l1', 'r1'],
  ['l2', 'r2'],
  ['l3', 'r3'],
].entries()) {
  streams.push(
    commitStream(
      `l${at + 1}`,
      one === other ? [one as string] : [one as string, other as string],
      changed(twice),
      2_000 + at,
    ),
  );
  streams.push(
    commitStream(
      `r${at + 1}`,
      one === other ? [one as string] : [other as string, one as string],
      changed(twice),
      2_000 + at,
    ),
  );
}
streams.push(commitStream('lonely', [], new Map([['a', { mode: '100644', content: 'x' }]]), 1_000));

// What the own merge of lines could not do.
const many = (from: string): string[] =>
  Array.from({ length: 60_000 }, (_, n) => `${from} a line of a large file, ${n}\n`);
const large = many('');
const one = (path: string, all: readonly string[]): Files =>
  new Map([[path, { mode: '100644', content: all.join('') }]]);
const known: [name: string, base: Files, ours: Files, theirs: Files][] = [
  [
    'a large file that is edited at both ends',
    one('f', large),
    one('f', ['first\n', ...large]),
    one('f', [...large, 'last\n']),
  ],
  [
    '3,000 changed lines beside one',
    one('f', large),
    one('f', large.with(0, 'x\n')),
    one('f', [...large.slice(0, 9_000), ...many('new').slice(0, 3_000), ...large.slice(9_000)]),
  ],
  [
    'a copied block below, an edit of the original',
    one('f', lines),
    one('f', ['import\n', ...lines, ...lines.slice(6, 12)]),
    one('f', lines.with(8, '  edited;\n')),
  ],
];
for (const [at, [, ...sides]] of known.entries()) {
  for (const [side, files] of sides.entries())
    streams.push(
      commitStream(
        ['', '-ours', '-theirs'].map(end => `known-${at}${end}`)[side] as string,
        side === 0 ? [] : [`known-${at}`],
        files,
        1_000 + side,
      ),
    );
}

git.bytes(['fast-import', '--quiet'], { input: Buffer.concat(streams) });
const stored = world.repository();
await importRepository(world.context, { repositoryId: stored.id, path: git.path });
const repository = cold(world, stored);
const tips = new Map(
  git.lines('for-each-ref', '--format=%(refname:short) %(objectname)').map(line => line.split(' ') as [string, string]),
);
const tip = (branch: string): string => tips.get(branch) ?? '';

/** Id of the merged tree, or the path of the conflict. The objects must be those that the tree needs. */
async function mergedHere(ours: string, theirs: string): Promise<string> {
  try {
    const { tree, objects } = await mergeCommits(repository, ours, theirs);
    for (const { oid, type, content } of objects) expect(createObject(type, content).oid).toBe(oid);
    await assertConnected(repository, objects);
    const isThere = objects.some(({ oid }) => oid === tree) || (await statObjects(repository, [tree])).has(tree);
    expect(isThere).toBe(true);
    return tree;
  } catch (error) {
    if (error instanceof MergeConflict) return error.path === '' ? error.message : 'conflict';
    throw error;
  }
}

function mergedByGit(ours: string, theirs: string): string {
  try {
    return git.run('merge-tree', '--write-tree', '--no-messages', ours, theirs);
  } catch (error) {
    const { status, signal } = error as { status?: number; signal?: string };
    if (status === 1) return 'conflict';
    if (signal === 'SIGABRT') return 'git cannot merge these histories.';
    throw error;
  }
}

async function compare(names: readonly string[]): Promise<{ merged: number; conflicts: number }> {
  const results = { merged: 0, conflicts: 0 };
  const differing: unknown[] = [];
  for (const name of names) {
    const [ours, theirs] = [tip(`${name}-ours`), tip(`${name}-theirs`)];
    const here = await mergedHere(ours, theirs);
    const expected = mergedByGit(ours, theirs);
    if (here !== expected) differing.push({ name, here, expected });
    if (here === 'conflict') results.conflicts++;
    else results.merged++;
  }
  expect(differing).toEqual([]);
  return results;
}

describe('merges as git does', () => {
  withOracle('random changes of files, names, modes, links, submodules and directories', async () => {
    const { merged, conflicts } = await compare(cases);
    expect(merged).toBeGreaterThan(count / 10);
    expect(conflicts).toBeGreaterThan(count / 10);
  });

  withOracle('two and three common ancestors', async () => {
    const { merged, conflicts } = await compare(crossed);
    expect(merged + conflicts).toBe(crossed.length);
  });

  withOracle('ancestors that have two ancestors themselves', async () => {
    expect(await mergedHere(tip('l4'), tip('r4'))).toBe(mergedByGit(tip('l4'), tip('r4')));
  });

  withOracle.each(known.map(([name], at) => [name, at]))('%s', async (_, at) => {
    const [ours, theirs] = [tip(`known-${at}-ours`), tip(`known-${at}-theirs`)];
    const here = await mergedHere(ours, theirs);
    expect(here).toMatch(/^[0-9a-f]{40}$/);
    expect(here).toBe(mergedByGit(ours, theirs));
  });
});

test('histories without a common ancestor are refused', async () => {
  await expect(mergeCommits(repository, tip('lonely'), tip('case-0'))).rejects.toThrow(
    'The histories have no common ancestor.',
  );
});
