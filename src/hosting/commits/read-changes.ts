import { isUtf8 } from 'node:buffer';
import type { CommitFile } from '../../../schema/hosting/commit-change.ts';
import { isBinary } from '../../git/binary-content.ts';
import { chunkBytes } from '../../git/chunk-rows.ts';
import { type Difference, diffTrees } from '../../git/diff-trees.ts';
import { DiffBudget, diffLines, formatPatch, splitLines } from '../../git/line-diff.ts';
import type { Oid } from '../../git/object.ts';
import { findObjects, readCommit, statObjects } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { entryKind } from '../../git/tree.ts';
import type { WorkBudget } from '../../workers/work-budget.ts';
import { gitProblems } from '../git-problems.ts';

/** Limits of a comparison. Blobs of more than `chunkBytes` could not be read together. */
const limits = { files: 3_000, blobBytes: chunkBytes, bytes: 16 * 1024 * 1024, patchBytes: 4 * 1024 * 1024 };

/** What the comparisons of one answer may still read and print. */
export class ChangeBudget {
  readonly lines: DiffBudget;
  /** Bytes of blobs. */
  bytes = limits.bytes;
  /** Characters of patches. */
  patchLength = limits.patchBytes;

  constructor(work: WorkBudget) {
    this.lines = new DiffBudget(work);
  }
}

interface ComparisonOptions {
  /** Files beyond it are not listed; 3,000 by default. */
  maxFiles?: number | undefined;
  budget?: ChangeBudget;
  /**
   * For text that stands for all changes: a change of the type is a deletion and a creation, as git prints it, contents of
   * binary files are kept, and what exceeds a limit is an error. Otherwise files beyond the limits are listed without lines.
   */
  isWhole?: boolean;
}

/** Files whose blobs are read by one statement. */
const filesPerRead = 100;

/** A file that differs between two commits. */
export interface FileChange extends ComparedLines {
  filename: string;
  difference: Difference;
  /** The contents of a binary file, when the changes are read as a whole; a side that does not exist is empty. */
  binary: BinaryContents | undefined;
}

interface BinaryContents {
  before: Buffer;
  after: Buffer;
}

/**
 * The files that differ between two commits, by path, with the lines that were added and deleted. `before` is undefined for a root commit.
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
  const all = await diffTrees(store, old, current, { maxFiles });
  if (isWhole && all.length > maxFiles) throw gitProblems.diffTooLarge();
  const differences = isWhole ? all.flatMap(splitTypeChange) : all.slice(0, maxFiles);
  const comparable = await chooseComparable(store, differences, budget);
  if (isWhole && comparable.size < differences.length) throw gitProblems.diffTooLarge();
  const files: FileChange[] = [];
  for (let at = 0; at < differences.length; at += filesPerRead) {
    const group = differences.slice(at, at + filesPerRead);
    const blobs = await findObjects(
      store,
      group.flatMap(difference => (comparable.has(difference) ? blobsOf(difference) : [])),
    );
    for (const difference of group) {
      const lines = comparable.has(difference) ? await compareFile(difference, blobs, budget.lines) : notCompared;
      budget.patchLength -= lines.patch?.length ?? 0;
      if (isWhole && budget.patchLength < 0) throw gitProblems.diffTooLarge();
      const patch = budget.patchLength < 0 ? null : lines.patch;
      const binary = isWhole ? binaryContents(difference, blobs) : undefined;
      files.push({ filename: filenameOf(difference), ...lines, patch, difference, binary });
    }
  }
  return files;
}

const filenameOf = ({ path }: Difference): string => Buffer.from(path, 'latin1').toString();

function splitTypeChange(difference: Difference): Difference[] {
  if (difference.status !== 'type-changed') return [difference];
  return [
    { ...difference, status: 'deleted', after: undefined },
    { ...difference, status: 'added', before: undefined },
  ];
}

type ComparedLines = Pick<CommitFile, 'additions' | 'deletions' | 'changedLines' | 'patch'>;

const notCompared: ComparedLines = { additions: 0, deletions: 0, changedLines: 0, patch: null };

async function compareFile(
  { before, after }: Difference,
  blobs: ReadonlyMap<Oid, { content: Buffer }>,
  budget: DiffBudget,
): Promise<ComparedLines> {
  if (before?.oid === after?.oid) return notCompared;
  const [old, current] = [textOf(before, blobs), textOf(after, blobs)];
  if (old === undefined || current === undefined) return notCompared;
  const [one, other] = [await splitLines(old, budget.work), await splitLines(current, budget.work)];
  const changes = await diffLines(one, other, budget);
  const additions = changes.reduce((sum, change) => sum + change.after.count, 0);
  const deletions = changes.reduce((sum, change) => sum + change.before.count, 0);
  const patch = await formatPatch(one, other, changes, budget.work);
  return { additions, deletions, changedLines: additions + deletions, patch: patch.replace(/\n$/, '') || null };
}

/** The blobs whose lines are compared; none for a change of the mode alone. */
const blobsOf = ({ before, after }: Difference): Oid[] =>
  before?.oid === after?.oid
    ? []
    : [before, after].flatMap(side => (side && entryKind(side.mode) !== 'submodule' ? [side.oid] : []));

/** The differences whose blobs are small enough, until the bytes of one answer are used up. */
async function chooseComparable(
  store: Repository,
  differences: readonly Difference[],
  budget: ChangeBudget,
): Promise<ReadonlySet<Difference>> {
  const heads = await statObjects(store, [...new Set(differences.flatMap(blobsOf))]);
  const chosen = new Set<Difference>();
  for (const difference of differences) {
    const blobs = blobsOf(difference).map(oid => heads.get(oid));
    const bytes = blobs.reduce((sum, head) => sum + (head?.size ?? 0), 0);
    if (bytes > budget.bytes || !blobs.every(head => head?.type === 'blob' && head.size <= limits.blobBytes)) continue;
    budget.bytes -= bytes;
    chosen.add(difference);
  }
  return chosen;
}

/** Empty for a side that does not exist; undefined for binary content, and for a blob that does not exist. */
function textOf(side: Difference['before'], blobs: ReadonlyMap<Oid, { content: Buffer }>): string | undefined {
  if (!side) return '';
  // As git shows it.
  if (entryKind(side.mode) === 'submodule') return `Subproject commit ${side.oid}\n`;
  const bytes = blobs.get(side.oid)?.content;
  return bytes && !isBinary(bytes) ? bytes.toString() : undefined;
}

/** Undefined for text. A text that is not UTF-8 is binary here: a response cannot hold its bytes. */
function binaryContents(
  { before, after }: Difference,
  blobs: ReadonlyMap<Oid, { content: Buffer }>,
): BinaryContents | undefined {
  const contentOf = (side: Difference['before']): Buffer =>
    (side && entryKind(side.mode) !== 'submodule' && blobs.get(side.oid)?.content) || Buffer.alloc(0);
  if (before?.oid === after?.oid) return undefined;
  const contents = { before: contentOf(before), after: contentOf(after) };
  const isText = Object.values(contents).every(bytes => !isBinary(bytes) && isUtf8(bytes));
  return isText ? undefined : contents;
}
