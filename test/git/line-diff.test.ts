import { expect, test } from '@jest/globals';
import { formatHunks } from '../../src/git/format-hunks.ts';
import { diffLines, type LineChange, splitLines } from '../../src/git/line-diff.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import { numbers } from './random-history.ts';
import { SystemGit } from './worlds.ts';

const git = SystemGit.create();
const work = WorkBudget.unlimited();
const pick = numbers(20_261_201);
// biome-ignore lint/style/noProcessEnv: more cases for a run by hand.
const count = Number(process.env.DIFF_CASES ?? 400);

async function patchOf(before: string, after: string): Promise<{ patch: string; changes: LineChange[] }> {
  const [one, other] = [await splitLines(before, work), await splitLines(after, work)];
  const changes = await diffLines(one, other, work);
  return { patch: await formatHunks({ before: one, after: other }, changes, work), changes };
}

type Pair = [before: string, after: string];

const some = <T>(all: readonly T[]): T => all[pick(all.length)] as T;
const list = <T>(length: number, one: () => T): T[] => Array.from({ length }, one);
const joined = (lines: readonly string[]): string =>
  lines.map(line => `${line}\n`).join('') + (pick(6) === 0 ? 'the end' : '');

function edited(lines: readonly string[], fresh: () => string, times: number): string[] {
  const changed = [...lines];
  for (let n = 0; n < times; n++) {
    const at = pick(changed.length + 1);
    const from = pick(changed.length + 1);
    const kind = pick(4);
    if (kind === 0) changed.splice(at, 0, ...changed.slice(from, from + pick(9)));
    else if (kind === 1) changed.splice(at, pick(6));
    else changed.splice(at, pick(3), ...list(1 + pick(3), fresh));
  }
  return changed;
}

const code = (): string =>
  some([
    '}',
    '{',
    '',
    '',
    '  }',
    '  return x;',
    '  if (a) {',
    '    b();',
    '\tc();',
    '\t\td();',
    'function f() {',
    '// note',
    'x',
  ]) + some(['', '', '', ` ${pick(40)}`]);

/** Texts of few different lines, of code with blocks that repeat, and of many lines. */
const makers: (() => Pair)[] = [
  () => [joined(list(pick(30), () => some(['a', 'b', '']))), joined(list(pick(30), () => some(['a', 'b', 'c'])))],
  () => {
    const lines = list(20 + pick(150), code);
    return [joined(lines), joined(edited(lines, code, 1 + pick(12)))];
  },
  () => {
    const lines = list(10 + pick(60), () => some(['  a', 'b', '', 'dé', '\tc', '   ']));
    return [joined(lines), joined(edited(lines, () => some(['  a', 'b', '', 'new']), 1 + pick(30)))];
  },
  () => {
    const lines = list(200 + pick(600), () => `${pick(300)}`);
    return [joined(lines), joined(edited(lines, () => `${pick(400)}`, 100 + pick(400)))];
  },
  () => [joined(list(pick(400), () => `${pick(60)}`)), joined(list(pick(400), () => `${pick(60)}`))],
  () => (pick(2) === 0 ? ['', joined(list(pick(5), code))] : [joined(list(pick(5), code)), '']),
];
const pairs: Pair[] = list(count, () => some(makers)());

/** Beyond the costs at which the search is cut short. */
const large = (word: string, every: number): string[] =>
  Array.from({ length: 4_000 }, (_, at) => (at % every === 0 ? `${word} ${at}` : `line ${at % 700}`));
pairs.push(
  [joined(large('a', 2)), joined(large('b', 2))],
  [joined(large('a', 3)), joined(large('b', 3).toReversed())],
  [joined(large('a', 40)), joined(edited(large('b', 40), () => `line ${pick(700)}`, 600))],
  [joined(list(3_000, () => `${pick(9)}`)), joined(list(3_000, () => `${pick(9)}`))],
  [joined(list(6_000, () => `${pick(3_000)}`)), joined(list(6_000, () => `${pick(3_000)}`))],
);

/** Patches as git prints them, by the index of the pair. */
function patchesByGit(): string[] {
  const stream = (branch: string, side: 0 | 1): string => {
    const files = pairs.map(
      (pair, at) => `M 100644 inline ${at}\ndata ${Buffer.byteLength(pair[side])}\n${pair[side]}\n`,
    );
    return `commit refs/heads/${branch}\ncommitter A <a@example.org> 1 +0000\ndata 1\nx\ndeleteall\n${files.join('')}\n`;
  };
  git.bytes(['fast-import', '--quiet'], { input: Buffer.from(stream('before', 0) + stream('after', 1)) });
  const text = git.bytes(['diff', '--no-renames', 'before', 'after']).toString();
  const found = pairs.map(() => '');
  for (const one of text.split(/^diff --git a\//m).slice(1)) {
    const hunks = /^@@ .*/ms.exec(one)?.[0] ?? '';
    found[Number.parseInt(one, 10)] = hunks;
  }
  return found;
}

test('patches are those of git diff', async () => {
  const expected = patchesByGit();
  const differing: unknown[] = [];
  for (const [at, [before, after]] of pairs.entries()) {
    const { patch } = await patchOf(before, after);
    if (patch !== expected[at]) differing.push({ at, before, after, patch, expected: expected[at] });
  }
  expect(differing.slice(0, 2)).toEqual([]);
});

test('hunks, their ranges and the mark of a missing line feed', async () => {
  expect((await patchOf('', 'a\n')).patch).toBe('@@ -0,0 +1 @@\n+a\n');
  expect((await patchOf('a', 'a\n')).patch).toBe('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n');
  const lines = Array.from({ length: 20 }, (_, at) => `${at}\n`);
  const after = lines.with(2, 'x\n').with(15, 'y\n');
  expect((await patchOf(lines.join(''), after.join(''))).patch).toBe(
    `@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -13,7 +13,7 @@\n 12\n 13\n 14\n-15\n+y\n 16\n 17\n 18\n`,
  );
});

const many = (word: string) => Array.from({ length: 50_000 }, (_, at) => `${word}${at}\n`).join('');

test('texts that differ in everything are one change', async () => {
  const { changes } = await patchOf(many('a'), many('b'));
  expect(changes).toEqual([{ before: { start: 0, count: 50_000 }, after: { start: 0, count: 50_000 } }]);
});

test('a comparison spends from the budget of the request', async () => {
  const little = new WorkBudget({ steps: 120_000, objects: 0, bytes: 0, milliseconds: 60_000 });
  const texts = [await splitLines(many('a'), work), await splitLines(many('b'), work)] as const;
  await expect(diffLines(...texts, little)).rejects.toMatchObject({ limit: 'steps' });
});
