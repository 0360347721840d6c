import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DiffBudget, diffLines, formatPatch, type LineChange, splitLines } from '../../src/git/line-diff.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import { SystemGit } from './worlds.ts';

const git = SystemGit.create();
const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'dé'), { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));

const work = WorkBudget.unlimited();

async function patchOf(
  before: string,
  after: string,
  budget = new DiffBudget(work),
): Promise<{ patch: string; changes: LineChange[] }> {
  const [one, other] = [await splitLines(before, work), await splitLines(after, work)];
  const changes = await diffLines(one, other, budget);
  return { patch: await formatPatch(one, other, changes, work), changes };
}

const changed = (changes: readonly LineChange[]): number =>
  changes.reduce((sum, { before, after }) => sum + before.count + after.count, 0);

test('as few changed lines as git diff --minimal, and a patch that leads from one text to the other', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const { patch, changes } = await patchOf(before, after);
      const oids = [before, after].map(input =>
        git.bytes(['hash-object', '-w', '--stdin'], { input }).toString().trim(),
      );
      const theirs = git
        .bytes(['diff', '--minimal', '--no-indent-heuristic', '--numstat', oids[0] ?? '', oids[1] ?? ''])
        .toString();
      const [additions = '0', deletions = '0'] = theirs.split('\t');
      // git leaves out lines that occur often before it compares, so that its diff may be larger.
      expect(changed(changes)).toBeLessThanOrEqual(Number(additions) + Number(deletions));
      expect(await rebuilt(before, patch)).toBe(after);
    }),
    { numRuns: 40 },
  );
});

/** Applies a patch by its own line numbers. */
async function rebuilt(before: string, patch: string): Promise<string> {
  const source = await splitLines(before, work);
  const out: string[] = [];
  let at = 0;
  let previous = '';
  for (const line of await splitLines(patch, work)) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line);
    if (header) {
      const start = header[2] === '0' ? Number(header[1]) : Number(header[1]) - 1;
      while (at < start) out.push(source[at++] ?? '');
      continue;
    }
    if (line.startsWith('\\')) {
      if (previous !== '-') out.push((out.pop() ?? '').replace(/\n$/, ''));
      continue;
    }
    previous = line[0] ?? '';
    if (previous === '+' || previous === ' ') out.push(line.slice(1));
    if (previous === '-' || previous === ' ') at++;
  }
  return out.concat(source.slice(at)).join('');
}

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

test('texts that differ in everything end at the limit', async () => {
  const { changes } = await patchOf(many('a'), many('b'));
  expect(changes).toEqual([{ before: { start: 0, count: 50_000 }, after: { start: 0, count: 50_000 } }]);
  const budget = new DiffBudget(work);
  budget.comparisons = 10;
  expect((await patchOf('a\nb\nc\nd\n', 'd\nc\nb\na\n', budget)).changes.length).toBeGreaterThan(0);
});

test('a comparison spends from the budget of the request', async () => {
  const little = new WorkBudget({ steps: 120_000, objects: 0, bytes: 0, milliseconds: 60_000 });
  const texts = [await splitLines(many('a'), work), await splitLines(many('b'), work)] as const;
  await expect(diffLines(...texts, new DiffBudget(little))).rejects.toMatchObject({ limit: 'steps' });
});
