import { isUtf8 } from 'node:buffer';
import { isBinary, sniffedBytes } from '../../git/binary-content.ts';
import { chunkBytes } from '../../git/chunk-rows.ts';
import type { ChangedFile } from '../../git/find-renames.ts';
import { formatHunks } from '../../git/format-hunks.ts';
import { diffLargeBlobs } from '../../git/large-diff.ts';
import { diffLines, splitLines } from '../../git/line-diff.ts';
import type { Oid } from '../../git/object.ts';
import { openBlob } from '../../git/open-blob.ts';
import { readForFirst, statObjects } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { maxScratchBytes } from '../../git/scratch-repository.ts';
import { entryKind } from '../../git/tree.ts';
import type { WorkBudget } from '../../workers/work-budget.ts';
import { gitProblems } from '../git-problems.ts';

/** The contents of a binary file; `too-large` beyond what is read together. */
export type BinaryContents = { before: Buffer; after: Buffer } | 'too-large';

interface ComparedFile {
  file: ChangedFile;
  lines: ComparedLines;
  binary: BinaryContents | undefined;
}

interface ComparedLines {
  additions: number;
  deletions: number;
  /** Without the last line feed; null where there is none, and beyond the limit. */
  patch: string | null;
}

interface CompareOptions {
  budget: { work: WorkBudget; patchLength: number };
  /** Whether binary contents are wanted, and a patch beyond the limit is an error. */
  isWhole: boolean;
}

type Contents = ReadonlyMap<Oid, { content: Buffer }>;
type Sizes = ReadonlyMap<Oid, number>;

/** Files whose blobs are read together. */
const filesPerRead = 100;
const notCompared: ComparedLines = { additions: 0, deletions: 0, patch: null };

/**
 * The lines that differ in each of the files, in their order. Blobs of more than `chunkBytes` are compared by git.
 * @throws WorkBudgetError; 406 when the changes are read as a whole and exceed a limit
 */
export async function* compareFiles(
  store: Repository,
  files: readonly ChangedFile[],
  { budget, isWhole }: CompareOptions,
): AsyncGenerator<ComparedFile> {
  const large = await compareLarge(store, files, budget.patchLength);
  for (let at = 0; at < files.length; ) {
    const group = files.slice(at, at + filesPerRead);
    const { count, found } = await readForFirst(store, group, file => (large.has(file) ? [] : blobsOf(file)));
    at += count;
    for (const file of group.slice(0, count)) {
      const { binary, ...lines } = large.get(file) ?? {
        ...(await compareTexts(file, found, budget.work)),
        binary: isWhole ? binaryContents(file, found) : undefined,
      };
      const length = lines.patch?.length ?? 0;
      const isLeftOut = length > budget.patchLength || (lines.patch === null && lines.additions + lines.deletions > 0);
      if (isWhole && isLeftOut && !binary) throw gitProblems.diffTooLarge();
      if (!isLeftOut) budget.patchLength -= length;
      yield { file, lines: isLeftOut ? { ...lines, patch: null } : lines, binary };
    }
  }
}

async function compareTexts({ before, after }: ChangedFile, blobs: Contents, work: WorkBudget): Promise<ComparedLines> {
  if (before?.oid === after?.oid) return notCompared;
  const [old, current] = [textOf(before, blobs), textOf(after, blobs)];
  if (old === undefined || current === undefined) return notCompared;
  const lines = { before: await splitLines(old, work), after: await splitLines(current, work) };
  const changes = await diffLines(lines.before, lines.after, work);
  const additions = changes.reduce((sum, change) => sum + change.after.count, 0);
  const deletions = changes.reduce((sum, change) => sum + change.before.count, 0);
  return { additions, deletions, patch: decodePatch(await formatHunks(lines, changes, work)) };
}

function decodePatch(latin1: string): string | null {
  return Buffer.from(latin1, 'latin1').toString().replace(/\n$/, '') || null;
}

/** The blobs whose lines are compared; none for a change of the mode or the name alone. */
const blobsOf = ({ before, after }: ChangedFile): Oid[] =>
  before?.oid === after?.oid
    ? []
    : [before, after].flatMap(side => (side && entryKind(side.mode) !== 'submodule' ? [side.oid] : []));

/** The files of which a side has more than `chunkBytes`. */
async function compareLarge(
  store: Repository,
  files: readonly ChangedFile[],
  maxPatchBytes: number,
): Promise<ReadonlyMap<ChangedFile, ComparedLines & { binary: BinaryContents | undefined }>> {
  const stats = await statObjects(store, [...new Set(files.flatMap(blobsOf))]);
  const sizes = new Map([...stats].map(([oid, { size }]) => [oid, size]));
  const found = new Map<ChangedFile, ComparedLines & { binary: BinaryContents | undefined }>();
  const texts: ChangedFile[] = [];
  for (const file of files) {
    const oids = blobsOf(file);
    if (oids.every(oid => (sizes.get(oid) ?? 0) <= chunkBytes)) continue;
    let isText = true;
    for (const oid of oids) isText &&= !(await isBinaryBlob(store, oid, sizes));
    if (isText) texts.push(file);
    else found.set(file, { ...notCompared, binary: 'too-large' });
  }
  for (let left = maxPatchBytes; texts.length > 0; ) {
    const group = takeGroup(texts, sizes);
    const pairs = group.map(({ before, after }) => ({ before: before?.oid, after: after?.oid }));
    const own = new Map(group.flatMap(blobsOf).map(oid => [oid, sizes.get(oid) ?? 0]));
    for (const [at, { additions, deletions, patch }] of (await diffLargeBlobs(store, pairs, own, left)).entries()) {
      const isPrintable = patch !== undefined && isUtf8(Buffer.from(patch, 'latin1'));
      left = Math.max(0, left - (patch?.length ?? 0));
      found.set(group[at] as ChangedFile, {
        ...{ additions, deletions, patch: patch === undefined ? null : decodePatch(patch) },
        binary: patch === undefined || isPrintable ? undefined : 'too-large',
      });
    }
  }
  return found;
}

async function isBinaryBlob(store: Repository, oid: Oid, sizes: Sizes): Promise<boolean> {
  store.workBudget.spendObjects(1, sniffedBytes);
  const blob = await openBlob(store, oid);
  const end = Math.min(sniffedBytes, sizes.get(oid) ?? 0);
  for await (const piece of blob?.pieces({ start: 0, end }) ?? []) if (isBinary(piece)) return true;
  return false;
}

/** Takes the first files, as many as git is given together. */
function takeGroup(files: ChangedFile[], sizes: Sizes): ChangedFile[] {
  let bytes = 0;
  const end = files.findIndex(file => {
    bytes += blobsOf(file).reduce((sum, oid) => sum + (sizes.get(oid) ?? 0), 0);
    return bytes > maxScratchBytes;
  });
  return files.splice(0, end < 0 ? files.length : Math.max(1, end));
}

/** Bytes as latin1 characters. Empty for a side that does not exist; undefined for binary content, and for a blob that does not exist. */
function textOf(side: ChangedFile['before'], blobs: Contents): string | undefined {
  if (!side) return '';
  // As git shows it.
  if (entryKind(side.mode) === 'submodule') return `Subproject commit ${side.oid}\n`;
  const bytes = blobs.get(side.oid)?.content;
  return bytes && !isBinary(bytes) ? bytes.toString('latin1') : undefined;
}

/** Undefined for text. A text that is not UTF-8 is binary here: a response cannot hold its bytes. */
function binaryContents({ before, after }: ChangedFile, blobs: Contents): BinaryContents | undefined {
  const contentOf = (side: ChangedFile['before']): Buffer =>
    (side && entryKind(side.mode) !== 'submodule' && blobs.get(side.oid)?.content) || Buffer.alloc(0);
  if (before?.oid === after?.oid) return undefined;
  const contents = { before: contentOf(before), after: contentOf(after) };
  const isText = Object.values(contents).every(bytes => !isBinary(bytes) && isUtf8(bytes));
  return isText ? undefined : contents;
}
