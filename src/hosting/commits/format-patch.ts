import type { Commit } from '../../git/commit.ts';
import { type FileStat, formatDiffstat } from '../../git/diffstat.ts';
import { newCommits } from '../../git/history.ts';
import { formatAddress, formatHeader, formatMailDate } from '../../git/mail-header.ts';
import type { Oid } from '../../git/object.ts';
import { readCommit } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { gitProblems } from '../git-problems.ts';
import { formatBinaryDiff, quotePath } from './format-diff.ts';
import { commitMessage } from './git-commit.ts';
import { ChangeBudget, type FileChange, readChanges } from './read-changes.ts';

/** Commits of one answer. */
const maxCommits = 250;
/** Characters of a subject and of a name: encoding takes 1 µs for each. A first paragraph of 1 MB held the event loop for a second. */
const maxHeaderLength = 16_384;

interface CommitRange {
  /** Undefined for the whole history. */
  base: Oid | undefined;
  head: Oid;
}

/**
 * One mail for each commit that the head reaches and the base does not, oldest first, without merges: what
 * `git format-patch --stdout --no-signature` prints, and `git am` applies.
 *
 * @throws 406 for more than 250 commits, or changes beyond the limits of a diff
 */
export async function formatPatches(store: Repository, { base, head }: CommitRange): Promise<string> {
  const commits = await newCommits(store, [head], base === undefined ? [] : [base]);
  const series = commits.filter(({ parents }) => parents.length < 2).reverse();
  if (series.length > maxCommits) throw gitProblems.tooManyPatches(maxCommits);
  const budget = new ChangeBudget(store.workBudget);
  const mails: string[] = [];
  for (const [index, { oid, parents }] of series.entries()) {
    const changes = await readChanges(store, { before: parents[0], after: oid }, { budget, isWhole: true });
    const count =
      series.length === 1 ? '' : ` ${`${index + 1}`.padStart(`${series.length}`.length, '0')}/${series.length}`;
    const text = await formatBinaryDiff(changes);
    // Contents of binary files are not in the patches that the comparison has counted.
    budget.patchLength -= changes.some(file => file.binary) ? text.length : 0;
    const commit = await readCommit(store, oid);
    budget.patchLength -= commit.message.length;
    if (budget.patchLength < 0) throw gitProblems.diffTooLarge();
    const stat = changes.length === 0 ? '' : `---\n${formatDiffstat(statsOf(changes))}\n${text}`;
    mails.push(`From ${oid} Mon Sep 17 00:00:00 2001\n${formatMail(commit, count)}${stat}`);
  }
  return mails.join('\n');
}

/** Headers and message. The subject is the first paragraph of the message. */
function formatMail(commit: Commit, count: string): string {
  const message = commitMessage(commit).replace(/^\n+/, '');
  const end = /\n[ \t]*\n/.exec(message);
  const subject = message
    .slice(0, end?.index)
    .split('\n')
    .map(line => line.trim())
    .join(' ');
  if (Math.max(subject.length, commit.author.name.length) > maxHeaderLength) throw gitProblems.diffTooLarge();
  const body = end ? message.slice(end.index + end[0].length).replace(/^\n+/, '') : '';
  const encoding = /[^\0-\x7f]/.test(message)
    ? 'MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n'
    : '';
  const headers = [
    `From: ${formatAddress(commit.author)}\n`,
    `Date: ${formatMailDate(commit.author)}\n`,
    formatHeader(`Subject: [PATCH${count}]`, subject),
    encoding,
  ];
  return `${headers.join('')}\n${body === '' ? '' : `${body}\n`}`;
}

/** A deletion and a creation of one path are one file of the diffstat. */
function statsOf(files: readonly FileChange[]): FileStat[] {
  const byPath = new Map<string, FileStat>();
  for (const { filename, previousFilename, additions, deletions, binary, difference } of files) {
    const { path, source, before, after } = difference;
    const earlier = byPath.get(path);
    const lines = earlier && 'added' in earlier.change ? earlier.change : { added: 0, deleted: 0 };
    byPath.set(path, {
      name: quotePath(filename, path),
      renamed: source && { from: quotePath(previousFilename ?? '', source.path), similarity: source.similarity },
      change:
        binary && binary !== 'too-large'
          ? { before: binary.before.length, after: binary.after.length }
          : { added: lines.added + additions, deleted: lines.deleted + deletions },
      oldMode: before?.mode ?? earlier?.oldMode,
      newMode: after?.mode,
    });
  }
  return [...byPath.values()];
}
