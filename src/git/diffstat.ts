/** What a diffstat says of one file. */
export interface FileStat {
  /** As it is printed. */
  name: string;
  /** Undefined for a file that was not renamed. */
  renamed?: { from: string; similarity: number } | undefined;
  /** Changed lines, or the sizes of a binary file in bytes. */
  change: { added: number; deleted: number } | { before: number; after: number };
  /** Undefined for a file that did not exist. */
  oldMode: string | undefined;
  /** Undefined for a deleted file. */
  newMode: string | undefined;
}

/** Columns of a line, as in mails of `git format-patch`. */
const columns = 72;

/** The lines of `git diff --stat --summary`. */
export function formatDiffstat(all: readonly FileStat[]): string {
  const files = all.map(file => ({
    ...file,
    name: file.renamed ? formatRename(file.renamed.from, file.name) : file.name,
  }));
  const sizes = files.map(({ change }) => ('added' in change ? change.added + change.deleted : 0));
  const maxChange = sizes.reduce((most, size) => Math.max(most, size), 0);
  const binaryTexts = files.map(({ change }) =>
    'before' in change ? `${change.before} -> ${change.after} bytes` : '',
  );
  const maxBinary = binaryTexts.reduce((most, text) => Math.max(most, text.length), 0);
  const numberWidth = Math.max(`${maxChange}`.length, maxBinary > 0 ? 3 : 0);
  const { nameWidth, graphWidth } = widthsOf(
    files.reduce((most, { name }) => Math.max(most, name.length), 0),
    Math.max(maxChange, maxBinary),
    numberWidth,
  );
  const lines = files.map(({ name, change }, index) => {
    const start = ` ${shortened(name, nameWidth).padEnd(nameWidth)} | `;
    if ('before' in change) return `${start}${'Bin'.padStart(numberWidth)} ${binaryTexts[index]}\n`;
    const graph = graphOf(change, maxChange, graphWidth);
    return `${start}${`${sizes[index]}`.padStart(numberWidth)}${graph && ` ${graph}`}\n`;
  });
  return `${lines.join('')}${formatTotals(files)}${files.map(formatModes).join('')}`;
}

/** Columns for names and graphs, divided as git's show_stats() does. */
function widthsOf(longestName: number, widestGraph: number, numberWidth: number) {
  const free = columns - numberWidth - 6;
  if (longestName + widestGraph <= free) return { nameWidth: longestName, graphWidth: widestGraph };
  const graphWidth = Math.min(widestGraph, Math.max(6, Math.floor((columns * 3) / 8) - numberWidth - 6));
  if (longestName > free - graphWidth) return { nameWidth: free - graphWidth, graphWidth };
  return { nameWidth: longestName, graphWidth: free - longestName };
}

/** The end of a long name, from a slash on if there is one. */
function shortened(name: string, width: number): string {
  if (name.length <= width) return name;
  const end = name.slice(name.length - (width - 3));
  const slash = end.indexOf('/');
  return `...${slash < 0 ? end : end.slice(slash)}`;
}

function graphOf({ added, deleted }: { added: number; deleted: number }, maxChange: number, width: number): string {
  if (width > maxChange) return '+'.repeat(added) + '-'.repeat(deleted);
  const scale = (count: number): number => (count === 0 ? 0 : 1 + Math.floor((count * (width - 1)) / maxChange));
  const total = Math.max(scale(added + deleted), added > 0 && deleted > 0 ? 2 : 0);
  const plus = added < deleted ? scale(added) : total - scale(deleted);
  return '+'.repeat(plus) + '-'.repeat(total - plus);
}

function formatTotals(files: readonly FileStat[]): string {
  const sum = (field: 'added' | 'deleted'): number =>
    files.reduce((total, { change }) => total + ('added' in change ? change[field] : 0), 0);
  const [insertions, deletions] = [sum('added'), sum('deleted')];
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const parts = [`${counted(files.length, 'file')} changed`];
  if (insertions > 0 || deletions === 0) parts.push(`${counted(insertions, 'insertion')}(+)`);
  if (deletions > 0 || insertions === 0) parts.push(`${counted(deletions, 'deletion')}(-)`);
  return ` ${parts.join(', ')}\n`;
}

function formatModes({ name, renamed, oldMode, newMode }: FileStat): string {
  if (renamed) {
    const mode = oldMode === newMode ? '' : ` mode change ${oldMode} => ${newMode}\n`;
    return ` rename ${name} (${renamed.similarity}%)\n${mode}`;
  }
  if (oldMode === newMode) return '';
  if (oldMode === undefined) return ` create mode ${newMode} ${name}\n`;
  if (newMode === undefined) return ` delete mode ${oldMode} ${name}\n`;
  return ` mode change ${oldMode} => ${newMode} ${name}\n`;
}

/** `a/{b => c}/d`, as git's pprint_rename(). A quoted name is printed as a whole. */
function formatRename(from: string, to: string): string {
  if (from.startsWith('"') || to.startsWith('"')) return `${from} => ${to}`;
  let start = 0;
  for (let at = 0; at < from.length && at < to.length && from[at] === to[at]; at++)
    if (from[at] === '/') start = at + 1;
  // A slash may be the end of what is before, and the start of what is behind.
  const least = start > 0 ? start - 1 : 0;
  let [fromEnd, toEnd] = [from.length, to.length];
  for (let back = 0; ; back++) {
    const [i, j] = [from.length - back, to.length - back];
    if (i < least || j < least || from[i] !== to[j]) break;
    if (from[i] === '/') [fromEnd, toEnd] = [i, j];
  }
  if (start === 0 && fromEnd === from.length) return `${from} => ${to}`;
  const [left, right] = [from.slice(start, Math.max(start, fromEnd)), to.slice(start, Math.max(start, toEnd))];
  return `${to.slice(0, start)}{${left} => ${right}}${to.slice(toEnd)}`;
}
