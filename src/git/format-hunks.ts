import type { WorkBudget } from '../workers/work-budget.ts';
import type { LineChange } from './line-diff.ts';

/** Equal lines around a change in a patch. */
const contextLines = 3;
/** Letters of the line that names the part of the text in which a hunk is. */
const headingLength = 80;

/** The two texts of a patch: their lines as bytes, which are latin1 characters. */
interface PatchedLines {
  before: readonly string[];
  after: readonly string[];
}

/**
 * The hunks of a unified diff as `git diff` prints them, without the lines that name the files: bytes as latin1 characters.
 * @throws WorkBudgetError
 */
export async function formatHunks(
  lines: PatchedLines,
  changes: readonly LineChange[],
  work: WorkBudget,
): Promise<string> {
  const hunks: LineChange[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    const gap = last ? change.before.start - last.before.start - last.before.count : Number.POSITIVE_INFINITY;
    if (gap <= 2 * contextLines) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  let patch = '';
  const heading = new Heading(lines.before);
  for (const hunk of hunks) patch += await formatHunk(lines, hunk, heading, work);
  return patch;
}

async function formatHunk(
  { before, after }: PatchedLines,
  hunk: readonly LineChange[],
  heading: Heading,
  work: WorkBudget,
): Promise<string> {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (!first || !last) return '';
  const lead = Math.min(contextLines, first.before.start);
  const [lastBefore, lastAfter] = [last.before.start + last.before.count, last.after.start + last.after.count];
  const trail = Math.min(contextLines, before.length - lastBefore);
  const [from, to] = [first.before.start - lead, lastBefore + trail];
  const [afterFrom, afterTo] = [first.after.start - lead, lastAfter + trail];
  let text = '';
  const add = async (sign: string, source: readonly string[], start: number, end: number): Promise<void> => {
    for (let at = start; at < end; at++) {
      const line = source[at] ?? '';
      text += line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
      work.spendSteps();
      if (work.isTurnDue) await work.turn();
    }
  };
  let at = from;
  for (const change of hunk) {
    await add(' ', before, at, change.before.start);
    at = change.before.start + change.before.count;
    await add('-', before, change.before.start, at);
    await add('+', after, change.after.start, change.after.start + change.after.count);
  }
  await add(' ', before, at, to);
  return `@@ -${formatRange(from, to)} +${formatRange(afterFrom, afterTo)} @@${await heading.before(from, work)}\n${text}`;
}

/** Lines are numbered from 1; an empty range names the line before it. */
function formatRange(from: number, to: number): string {
  const count = to - from;
  if (count === 1) return `${from + 1}`;
  return `${count === 0 ? from : from + 1},${count}`;
}

/** Finds the last line before a hunk that begins with a letter: in most languages the head of a function. */
class Heading {
  readonly #lines: readonly string[];
  #searched = 0;
  #found = '';

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** With a space in front. `from`: the first line of the hunk; that of a later hunk is greater. */
  async before(from: number, work: WorkBudget): Promise<string> {
    for (let at = from - 1; at >= this.#searched; at--) {
      work.spendSteps();
      if (work.isTurnDue) await work.turn();
      const line = this.#lines[at] ?? '';
      if (!/^[A-Za-z_$]/.test(line)) continue;
      let end = Math.min(line.length, headingLength);
      while (' \t\r\n'.includes(line[end - 1] ?? '-')) end--;
      this.#found = ` ${line.slice(0, end)}`;
      break;
    }
    this.#searched = Math.max(this.#searched, from);
    return this.#found;
  }
}
