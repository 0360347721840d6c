/** An indent counts to here. */
const maxIndent = 200;
/** Blank lines that are looked at on each side. */
const maxBlank = 20;

/** The lines around a place between two lines. An indent of -1 is that of a blank line, or of none. */
interface SplitMeasure {
  isEndOfFile: boolean;
  /** Of the line after the place. */
  indent: number;
  /** Blank lines before the place, and the indent of the line before them. */
  blankBefore: number;
  indentBefore: number;
  /** The same behind the line after the place. */
  blankAfter: number;
  indentAfter: number;
}

/** How well places divide a text; less is better. */
export interface SplitScore {
  effectiveIndent: number;
  penalty: number;
}

/** The numbers of git's xdiff, which were found by experiments with many repositories. */
const penalties = {
  startOfFile: 1,
  endOfFile: 21,
  blankLine: -30,
  blankLineAfter: 6,
  indented: -4,
  indentedWithBlank: 10,
  outdented: 24,
  outdentedWithBlank: 17,
  dedented: 23,
  dedentedWithBlank: 17,
};
const indentWeight = 60;

/** Columns before the first letter; -1 for a blank line. */
function indentOf(line: string): number {
  let indent = 0;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at];
    if (letter === ' ') indent += 1;
    else if (letter === '\t') indent += 8 - (indent % 8);
    else if (letter !== '\n' && letter !== '\r') return indent;
    if (indent >= maxIndent) return maxIndent;
  }
  return -1;
}

/** As `measure_split`. */
export function measureSplit(lines: readonly string[], place: number): SplitMeasure {
  const measure = (from: number, step: -1 | 1): { blank: number; indent: number } => {
    let blank = 0;
    for (let at = from; at >= 0 && at < lines.length; at += step) {
      const indent = indentOf(lines[at] ?? '');
      if (indent !== -1) return { blank, indent };
      if (++blank === maxBlank) return { blank, indent: 0 };
    }
    return { blank, indent: -1 };
  };
  const isEndOfFile = place >= lines.length;
  const [before, after] = [measure(place - 1, -1), measure(place + 1, 1)];
  return {
    isEndOfFile,
    indent: isEndOfFile ? -1 : indentOf(lines[place] ?? ''),
    blankBefore: before.blank,
    indentBefore: before.indent,
    blankAfter: after.blank,
    indentAfter: after.indent,
  };
}

/** As `score_add_split`. */
export function addSplit(measure: SplitMeasure, score: SplitScore): void {
  const { isEndOfFile, blankBefore, indentBefore, blankAfter, indentAfter } = measure;
  if (indentBefore === -1 && blankBefore === 0) score.penalty += penalties.startOfFile;
  if (isEndOfFile) score.penalty += penalties.endOfFile;
  const blankFollowing = measure.indent === -1 ? 1 + blankAfter : 0;
  const blank = blankBefore + blankFollowing;
  score.penalty += penalties.blankLine * blank + penalties.blankLineAfter * blankFollowing;
  const indent = measure.indent === -1 ? indentAfter : measure.indent;
  score.effectiveIndent += indent;
  if (indent === -1 || indentBefore === -1 || indent === indentBefore) return;
  const [withBlank, without] =
    indent > indentBefore
      ? [penalties.indentedWithBlank, penalties.indented]
      : indentAfter > indent
        ? [penalties.outdentedWithBlank, penalties.outdented]
        : [penalties.dedentedWithBlank, penalties.dedented];
  score.penalty += blank > 0 ? withBlank : without;
}

/** Negative where the first is better, as `score_cmp`. */
export function compareScores(one: SplitScore, other: SplitScore): number {
  return indentWeight * Math.sign(one.effectiveIndent - other.effectiveIndent) + (one.penalty - other.penalty);
}
