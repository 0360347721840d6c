import { expect, test } from '@jest/globals';
import { readChanges } from '../../src/hosting/commits/read-changes.ts';
import { importRepository } from '../../src/hosting/pushes/import-repository.ts';
import { numbers } from './random-history.ts';
import { cold, gitWorld, SystemGit } from './worlds.ts';

const world = await gitWorld();
const git = SystemGit.create();
const pick = numbers(20_261_130);
const folders = ['', 'a/', 'a/b/', 'c/', 'c/d/e/', 'ü/'];
const names = ['index.ts', 'readme', 'one.c', 'two.c', 'three.c', 'data'];
// biome-ignore lint/style/noProcessEnv: more cases for a run by hand.
const count = Number(process.env.CHANGE_CASES ?? 40);

type Files = Map<string, { mode: string; content: string }>;
const some = <T>(all: readonly T[]): T => all[pick(all.length)] as T;
const linesOf = (from: number): string[] => Array.from({ length: 5 + pick(40) }, (_, n) => `line ${from + n}\n`);

function edited(content: string): string {
  const lines = content.split(/(?<=\n)/);
  for (let times = pick(6); times > 0; times--) lines.splice(pick(lines.length + 1), pick(4), `edit ${pick(50)}\n`);
  return lines.join('');
}

function firstFiles(): Files {
  const files: Files = new Map();
  for (let n = 0; n < 25; n++) {
    const content = pick(9) === 0 ? `\0${pick(99)}` : pick(12) === 0 ? '' : linesOf(pick(8) * 20).join('');
    files.set(some(folders) + some(names), { mode: some(['100644', '100755', '120000']), content });
  }
  return files;
}

/** Files are moved to another folder or name, with and without changes; others are edited, deleted and added. */
function changed(base: Files): Files {
  const files: Files = new Map();
  const move = new Map([[some(folders), some(folders)]]);
  for (const [path, file] of base) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const kind = pick(10);
    const name = kind === 0 ? some(names) : path.slice(folder.length);
    const to = kind <= 1 ? some(folders) : (move.get(folder) ?? folder);
    if (kind === 2) continue;
    const mode = kind === 3 ? some(['100644', '100755', '120000']) : file.mode;
    files.set(to + name, { mode, content: kind > 5 ? file.content : edited(file.content) });
  }
  if (pick(2) === 0) files.set(some(folders) + some(names), { mode: '100644', content: linesOf(pick(200)).join('') });
  return files;
}

const commit = (branch: string, files: Files): string => {
  const entries = [...files].map(
    ([path, { mode, content }]) => `M ${mode} inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
  );
  return `commit refs/heads/${branch}\ncommitter A <a@example.org> 1 +0000\ndata 1\nx\ndeleteall\n${entries.join('')}\n`;
};
const stream = Array.from({ length: count }, (_, n) => {
  const files = firstFiles();
  return commit(`before-${n}`, files) + commit(`after-${n}`, changed(files));
});
git.bytes(['fast-import', '--quiet'], { input: Buffer.from(stream.join('')) });
const stored = world.repository();
await importRepository(world.context, { repositoryId: stored.id, path: git.path });
const repository = cold(world, stored);

/** What git says of each file: how it was changed, its name before, and the numbers of its lines. */
function changesByGit(before: string, after: string): unknown[] {
  const [raw = '', numstat = ''] = ['--raw', '--numstat'].map(form =>
    git.bytes(['diff-tree', '-r', '-M', '-z', form, before, after]).toString(),
  );
  const files: unknown[] = [];
  const [one, other] = [raw.split('\0'), numstat.split('\0')];
  for (let [at, place] = [0, 0]; at + 1 < one.length; place++) {
    const [, letter = '', similarity] = / ([A-Z])(\d*)$/.exec(one[at] ?? '') ?? [];
    const [additions = '', deletions = ''] = (other[place] ?? '').split('\t');
    const lines = [Number(additions) || 0, Number(deletions) || 0];
    if (letter === 'R') {
      files.push([one[at + 2], letter, one[at + 1], Number(similarity), ...lines]);
      [at, place] = [at + 3, place + 2];
    } else {
      files.push([one[at + 1], letter, undefined, undefined, ...lines]);
      at += 2;
    }
  }
  return files;
}

const letters = { added: 'A', deleted: 'D', modified: 'M', renamed: 'R', 'type-changed': 'T' };

test('changes and renames are those of git diff', async () => {
  let renames = 0;
  for (let n = 0; n < count; n++) {
    const [before, after] = [git.run('rev-parse', `before-${n}`), git.run('rev-parse', `after-${n}`)];
    const here = await readChanges(repository, { before, after });
    renames += here.filter(({ difference }) => difference.status === 'renamed').length;
    expect([
      n,
      here.map(({ filename, previousFilename, difference: { status, source }, additions, deletions }) => [
        ...[filename, letters[status], previousFilename, source?.similarity, additions, deletions],
      ]),
    ]).toEqual([n, changesByGit(before, after)]);
  }
  expect(renames).toBeGreaterThan(count);
});
