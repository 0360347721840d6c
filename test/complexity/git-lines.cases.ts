import { formatBinaryPatch } from '../../src/git/binary-patch.ts';
import { formatDiffstat } from '../../src/git/diffstat.ts';
import { formatHunks } from '../../src/git/format-hunks.ts';
import { diffLines, splitLines } from '../../src/git/line-diff.ts';
import { type Case, exported } from './complexity.ts';
import { requestBudget } from './request-budgets.ts';
import { userLimits } from './user-limits.ts';

/** Texts of about `size` bytes. */
interface Texts {
  base: string;
  ours: string;
  theirs: string;
}

const numbered = (size: number, letter: string): string => {
  const lines: string[] = [];
  for (let bytes = 0, at = 0; bytes < size; at++) {
    const line = `${letter}${at}\n`;
    lines.push(line);
    bytes += line.length;
  }
  return lines.join('');
};

/** A change of every `step`-th line. */
const changed = (text: string, step: number, from: number, to: string): string =>
  text
    .split('\n')
    .map((line, at) => (at % step === from && line !== '' ? to + line : line))
    .join('\n');

const shapes: [name: string, texts: (size: number) => Texts][] = [
  [
    'no line in common',
    size => ({ base: numbered(size, 'a'), ours: numbered(size, 'b'), theirs: numbered(size, 'a') }),
  ],
  [
    'every second line changed',
    size => {
      const base = numbered(size, 'a');
      return { base, ours: changed(base, 2, 0, 'x'), theirs: changed(base, 2, 1, 'y') };
    },
  ],
  [
    'every hundredth line changed',
    size => {
      const base = numbered(size, 'a');
      return { base, ours: changed(base, 100, 0, 'x'), theirs: changed(base, 100, 50, 'y') };
    },
  ],
  [
    'two lines that alternate',
    size => ({
      base: 'a\nb\n'.repeat(size / 4),
      ours: 'b\na\n'.repeat(size / 4),
      theirs: 'a\nb\n'.repeat(size / 4 + 1),
    }),
  ],
  [
    'equal lines and other lines between them',
    size => ({ base: 'a\n'.repeat(size / 2), ours: 'a\nb\n'.repeat(size / 4), theirs: 'a\na\nb\n'.repeat(size / 6) }),
  ],
  ['one line', size => ({ base: 'a'.repeat(size), ours: 'b'.repeat(size), theirs: 'a'.repeat(size) })],
  ['empty lines', size => ({ base: '\n'.repeat(size), ours: '\n'.repeat(size / 2), theirs: '\n'.repeat(size) })],
];

/** Up to where the search for the fewest changes ends, the work grows with the square of the changes; the budget is the limit. */
const sizes = { steps: [1_024, 16_384, 131_072, userLimits.textBytes], maxCpuMs: 1_000 };

export const gitLineCases: readonly Case[] = [
  ...shapes.map(
    ([name, texts]): Case => ({
      name: `a patch of texts: ${name}`,
      covers: [
        ...exported('src/git/line-diff.ts', 'diffLines', 'splitLines'),
        ...exported('src/git/format-hunks.ts', 'formatHunks'),
        ...exported('src/git/mark-changes.ts', 'markChanges'),
        ...exported('src/git/split-box.ts', 'splitBox'),
        ...exported('src/git/slide-changes.ts', 'slideChanges'),
        ...exported('src/git/split-score.ts', 'measureSplit', 'addSplit', 'compareScores'),
      ],
      sizes,
      prepare: size => {
        const { base, ours } = texts(size);
        return async () => {
          const work = requestBudget();
          const [before, after] = [await splitLines(base, work), await splitLines(ours, work)];
          const changes = await diffLines(before, after, work);
          return formatHunks({ before, after }, changes, work);
        };
      },
    }),
  ),
  {
    name: 'a binary patch',
    covers: exported('src/git/binary-patch.ts', 'formatBinaryPatch'),
    sizes: { from: 16_384, largest: userLimits.textBytes },
    prepare: size => {
      const bytes = Buffer.alloc(size);
      for (let at = 0; at < size; at++) bytes[at] = Math.imul(at, 0x9e3779b1) >>> 13;
      return () => formatBinaryPatch(Buffer.alloc(0), bytes);
    },
  },
  {
    name: 'a diffstat of many files',
    covers: exported('src/git/diffstat.ts', 'formatDiffstat'),
    sizes: { from: 1_000, largest: 20_000 },
    prepare: size => {
      const change = { added: 5, deleted: 3 };
      const files = Array.from({ length: size }, (_, at) => ({
        name: `${'a/'.repeat(100)}${at}`,
        change,
        oldMode: undefined,
        newMode: '100644',
      }));
      return () => formatDiffstat(files);
    },
  },
];
