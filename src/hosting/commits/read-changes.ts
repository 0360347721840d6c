import type { CommitFile } from '../../../schema/hosting/commit-change.ts';
import { type ChangedFile, listChanges } from '../../git/find-renames.ts';
import type { Oid } from '../../git/object.ts';
import { readCommit } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { entryKind } from '../../git/tree.ts';
import type { WorkBudget } from '../../workers/work-budget.ts';
import { gitProblems } from '../git-problems.ts';
import { type BinaryContents, compareFiles } from './compare-files.ts';

/** Limits of the text of a comparison. */
const limits = { files: 3_000, patchBytes: 4 * 1024 * 1024 };

/** What the comparisons of one answer may still print. */
export class ChangeBudget {
  readonly work: WorkBudget;
  /** Characters of patches. */
  patchLength = limits.patchBytes;

  constructor(work: WorkBudget) {
    this.work = work;
  }
}

interface ComparisonOptions {
  /** Files beyond it are not listed; 3,000 by default. */
  maxFiles?: number | undefined;
  budget?: ChangeBudget;
  /**
   * For text that stands for all changes: a change of the type is a deletion and a creation, as git prints it, contents of
   * binary files are kept, and what exceeds a limit is an error. Otherwise patches beyond the limits are left out.
   */
  isWhole?: boolean;
}

/** A file that differs between two commits. */
export interface FileChange extends Pick<CommitFile, 'additions' | 'deletions' | 'changedLines' | 'patch'> {
  filename: string;
  /** Of a renamed file: its name before. */
  previousFilename: string | undefined;
  difference: ChangedFile;
  /** The contents of a binary file, when the changes are read as a whole; a side that does not exist is empty. */
  binary: BinaryContents | undefined;
}

/**
 * The files that differ between two commits, by path, with the lines that were added and deleted: as `git diff` finds and counts them.
 * `before` is undefined for a root commit.
 *
 * @throws 406 when the changes are read as a whole and exceed a limit
 */
export async function readChanges(
  store: Repository,
  { before, after }: { before: Oid | undefined; after: Oid },
  { maxFiles = limits.files, budget = new ChangeBudget(store.workBudget), isWhole = false }: ComparisonOptions = {},
): Promise<FileChange[]> {
  const old = before === undefined ? undefined : (await readCommit(store, before)).tree;
  const current = (await readCommit(store, after)).tree;
  const all = await listChanges(store, old, current, maxFiles);
  if (isWhole && all.length > maxFiles) throw gitProblems.diffTooLarge();
  const changed = isWhole ? all.flatMap(splitTypeChange) : all.slice(0, maxFiles);
  const files: FileChange[] = [];
  for await (const { file, lines, binary } of compareFiles(store, changed, { budget, isWhole })) {
    const { additions, deletions } = lines;
    files.push({
      filename: nameOf(file.path),
      previousFilename: file.source && nameOf(file.source.path),
      ...{ additions, deletions, changedLines: additions + deletions, patch: lines.patch },
      difference: file,
      binary,
    });
  }
  return files;
}

const nameOf = (path: string): string => Buffer.from(path, 'latin1').toString();

function splitTypeChange(file: ChangedFile): ChangedFile[] {
  const { before, after } = file;
  const isSameType = !before || !after || entryKind(before.mode) === entryKind(after.mode);
  if (isSameType) return [file];
  return [
    { ...file, status: 'deleted', after: undefined },
    { ...file, status: 'added', before: undefined },
  ];
}
