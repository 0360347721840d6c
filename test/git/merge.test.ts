import { describe, expect, test } from '@jest/globals';
import { DiffBudget } from '../../src/git/line-diff.ts';
import { mergeCommits } from '../../src/git/merge-commits.ts';
import { mergeLines } from '../../src/git/merge-lines.ts';
import { MergeConflict } from '../../src/git/merge-trees.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import { numbers } from './random-history.ts';
import { cold, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();
const git = SystemGit.create();
const [major = 0, minor = 0] = git.run('version').replace('git version ', '').split('.').map(Number);
/** `merge-tree --write-tree` is of git 2.38. */
const withOracle = major > 2 || (major === 2 && minor >= 38) ? test : test.skip;

type Files = Map<string, { mode: string; content: string }>;
const pick = numbers(20_261_001);
let unique = 0;

const lines = Array.from({ length: 24 }, (_, n) => `line ${n}\n`);

function edited(content: string): string {
  const changed = content.split(/(?<=\n)/);
  for (let count = 1 + pick(3); count > 0; count--) {
    const at = pick(changed.length + 1);
    // Both sides often make the same change.
    const text = pick(3) === 0 ? `shared ${at}\n` : `edit ${++unique}\n`;
    changed.splice(at, pick(3), ...(pick(4) === 0 ? [] : [text]));
  }
  return pick(12) === 0 ? changed.join('').replace(/\n$/, '') : changed.join('');
}

const paths = ['a', 'b', 'bin', 'c.txt', 'd/x', 'd/y', 'd/e/z', 'd.txt', 'link'];

function firstFiles(): Files {
  const files: Files = new Map();
  for (const path of paths) {
    if (pick(6) === 0) continue;
    const content = path === 'bin' ? `\0${unique}` : path === 'link' ? 'a' : lines.join('');
    files.set(path, { mode: path === 'link' ? '120000' : '100644', content });
  }
  return files;
}

function changed(base: Files): Files {
  const files: Files = new Map(base);
  for (const path of paths) {
    const file = files.get(path);
    const chance = pick(16);
    if (chance > 5) continue;
    if (!file) {
      const isFree = ![...files.keys()].some(other => other.startsWith(`${path}/`));
      if (isFree) files.set(path, { mode: '100644', content: `new ${pick(2)}\n` });
    } else if (chance === 0) {
      files.delete(path);
    } else if (chance === 1) {
      files.set(path, { ...file, mode: file.mode === '100644' ? '100755' : file.mode });
    } else if (chance === 2 && pick(2) === 0) {
      files.delete(path);
      files.set(`${path}/below`, { mode: '100644', content: 'below\n' });
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
  for (const [path, { mode, content }] of files)
    parts.push(`M ${mode} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`);
  return Buffer.from(`${parts.join('')}\n`);
}

const cases = Array.from({ length: 150 }, (_, n) => `case-${n}`);
const streams: Buffer[] = [];
for (const name of cases) {
  const base = firstFiles();
  streams.push(commitStream(name, [], base, 1_000));
  streams.push(commitStream(`${name}-ours`, [name], changed(base), 2_000));
  streams.push(commitStream(`${name}-theirs`, [name], changed(base), 3_000));
}
// A criss-cross merge: both sides have merged each other once.
const files = (a: string, b: string): Files =>
  new Map([
    ['a', { mode: '100644', content: a }],
    ['b', { mode: '100644', content: b }],
  ]);
const [plain, one, other] = [lines, ['one\n', ...lines], [...lines, 'other\n']].map(all => all.join('')) as [
  string,
  string,
  string,
];
const both = ['one\n', ...lines, 'other\n'].join('');
const cross = (name: string, first: Files, left: Files, right: Files, merged: Files, ours: Files, theirs: Files) =>
  streams.push(
    commitStream(name, [], first, 1_000),
    commitStream(`${name}-left`, [name], left, 2_000),
    commitStream(`${name}-right`, [name], right, 2_001),
    commitStream(`${name}-one`, [`${name}-left`, `${name}-right`], merged, 3_000),
    commitStream(`${name}-other`, [`${name}-right`, `${name}-left`], merged, 3_001),
    commitStream(`${name}-ours`, [`${name}-one`], ours, 4_000),
    commitStream(`${name}-theirs`, [`${name}-other`], theirs, 4_001),
  );
cross(
  'cross',
  files(plain, plain),
  files(one, plain),
  files(other, plain),
  files(both, plain),
  files(both.replace('one', '1'), plain),
  files(both.replace('other', '2'), one),
);
cross(
  'crossed',
  files('base\n', plain),
  files('left\n', plain),
  files('right\n', plain),
  files('settled\n', plain),
  files('ours\n', plain),
  files('settled\n', one),
);
streams.push(commitStream('lonely', [], files('x', 'y'), 1_000));
git.bytes(['fast-import', '--quiet'], { input: Buffer.concat(streams) });
const stored = world.repository();
await importRepository(world.context, { repositoryId: stored.id, path: git.path });
const repository = cold(world, stored);
const tips = new Map(
  git.lines('for-each-ref', '--format=%(refname:short) %(objectname)').map(line => line.split(' ') as [string, string]),
);
const tip = (branch: string): string => tips.get(branch) ?? '';

/** Id of the merged tree, or `conflict`. */
async function mergedHere(ours: string, theirs: string): Promise<string> {
  try {
    const { tree } = await mergeCommits(repository, ours, theirs);
    return tree;
  } catch (error) {
    if (error instanceof MergeConflict) return 'conflict';
    throw error;
  }
}

function mergedByGit(ours: string, theirs: string): string {
  const settings = ['-c', 'merge.renames=false', '-c', 'merge.directoryRenames=false'];
  try {
    return git.run(...settings, 'merge-tree', '--write-tree', '--no-messages', ours, theirs);
  } catch (error) {
    if ((error as { status?: number }).status === 1) return 'conflict';
    throw error;
  }
}

describe('merges as git does without renames', () => {
  withOracle('random changes of files, modes, links and directories', async () => {
    const results = { merged: 0, conflicts: 0 };
    for (const name of cases) {
      const [ours, theirs] = [tip(`${name}-ours`), tip(`${name}-theirs`)];
      const here = await mergedHere(ours, theirs);
      expect([name, here]).toEqual([name, mergedByGit(ours, theirs)]);
      if (here === 'conflict') results.conflicts++;
      else results.merged++;
    }
    expect(results.merged).toBeGreaterThan(20);
    expect(results.conflicts).toBeGreaterThan(20);
  });

  withOracle('a criss-cross merge, whose ancestor is the merge of its ancestors', async () => {
    const [ours, theirs] = [tip('cross-ours'), tip('cross-theirs')];
    const here = await mergedHere(ours, theirs);
    expect(here).toBe(mergedByGit(ours, theirs));
    expect(here).toMatch(/^[0-9a-f]{40}$/);
  });
});

test('refused: ancestors that conflict, and histories without a common one', async () => {
  await expect(mergeCommits(repository, tip('crossed-ours'), tip('crossed-theirs'))).rejects.toThrow(
    'The common ancestors of the histories conflict with each other.',
  );
  await expect(mergeCommits(repository, tip('lonely'), tip('cross'))).rejects.toThrow(
    'The histories have no common ancestor.',
  );
});

describe('lines', () => {
  const work = WorkBudget.unlimited();
  const merge = async (base: string, ours: string, theirs: string): Promise<string | undefined> => {
    const [a, b, c] = [base, ours, theirs].map(text => text.replace(/./g, '$&\n'));
    const merged = await mergeLines(a as string, b as string, c as string, new DiffBudget(work));
    return merged?.replace(/\n/g, '');
  };

  test.each([
    ['abcdef', 'Xbcdef', 'abcdeY', 'XbcdeY'],
    ['abcdef', 'abcdef', 'abXdef', 'abXdef'],
    ['abcdef', 'abXdef', 'abXdef', 'abXdef'],
    ['abcdef', 'abXdef', 'abYdef', undefined],
    // Changes that touch.
    ['abcdef', 'aXcdef', 'abYdef', undefined],
    ['abcdef', 'abcXdef', 'abcYdef', undefined],
    ['abcdef', 'def', 'abcdefg', 'defg'],
    ['', 'a', 'b', undefined],
    ['', 'a', 'a', 'a'],
    ['abc', '', 'abc', ''],
    ['abc', '', 'abX', undefined],
  ])('%j changed to %j and %j', async (base, ours, theirs, expected) => {
    expect(await merge(base, ours, theirs)).toBe(expected);
    expect(await merge(base, theirs, ours)).toBe(expected);
  });

  test('a change of 300,000 lines', async () => {
    const many = (word: string) => Array.from({ length: 300_000 }, () => `${word}\n`).join('');
    const merged = await mergeLines(
      `${many('a')}end\n`,
      `${many('b')}end\n`,
      `${many('a')}end\n`,
      new DiffBudget(work),
    );
    expect(merged).toBe(`${many('b')}end\n`);
  });
});
