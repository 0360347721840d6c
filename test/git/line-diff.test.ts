import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DiffBudget, diffLines, formatPatch, type LineChange, splitLines } from '../../src/git/line-diff.ts';
import { SystemGit } from './worlds.ts';

const git = SystemGit.create();
const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'dé'), { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));

function patchOf(before: string, after: string, budget = new DiffBudget()): { patch: string; changes: LineChange[] } {
  const [one, other] = [splitLines(before), splitLines(after)];
  const changes = diffLines(one, other, budget);
  return { patch: formatPatch(one, other, changes), changes };
}

const changed = (changes: readonly LineChange[]): number =>
  changes.reduce((sum, { before, after }) => sum + before.count + after.count, 0);

test('as few changed lines as git diff --minimal, and a patch that leads from one text to the other', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { patch, changes } = patchOf(before, after);
      const oids = [before, after].map(input =>
        git.bytes(['hash-object', '-w', '--stdin'], { input }).toString().trim(),
      );
      const theirs = git
        .bytes(['diff', '--minimal', '--no-indent-heuristic', '--numstat', oids[0] ?? '', oids[1] ?? ''])
        .toString();
      const [additions = '0', deletions = '0'] = theirs.split('\t');
      // git leaves out lines that occur often before it compares, so that its diff may be larger.
      expect(changed(changes)).toBeLessThanOrEqual(Number(additions) + Number(deletions));
      expect(rebuilt(before, patch)).toBe(after);
    }),
    { numRuns: 40 },
  );
});

/** Applies a patch by its own line numbers. */
function rebuilt(before: string, patch: string): string {
  const source = splitLines(before);
  const out: string[] = [];
  let at = 0;
  let previous = '';
  for (const line of splitLines(patch)) {
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

test('hunks, their ranges and the mark of a missing line feed', () => {
  expect(patchOf('', 'a\n').patch).toBe('@@ -0,0 +1 @@\n+a\n');
  expect(patchOf('a', 'a\n').patch).toBe('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n');
  const lines = Array.from({ length: 20 }, (_, at) => `${at}\n`);
  const after = lines.with(2, 'x\n').with(15, 'y\n');
  expect(patchOf(lines.join(''), after.join('')).patch).toBe(
    `@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -13,7 +13,7 @@\n 12\n 13\n 14\n-15\n+y\n 16\n 17\n 18\n`,
  );
});

test('texts that differ in everything end at the limit, in bounded time', () => {
  const many = (word: string) => Array.from({ length: 50_000 }, (_, at) => `${word}${at}\n`).join('');
  const begun = performance.now();
  const { changes } = patchOf(many('a'), many('b'));
  expect(changes).toEqual([{ before: { start: 0, count: 50_000 }, after: { start: 0, count: 50_000 } }]);
  const budget = new DiffBudget();
  budget.steps = 10;
  expect(patchOf('a\nb\nc\nd\n', 'd\nc\nb\na\n', budget).changes.length).toBeGreaterThan(0);
  expect(performance.now() - begun).toBeLessThan(5_000);
});
