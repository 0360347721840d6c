import { LRUCache } from 'lru-cache';
import { WorkBudgetError } from '../workers/work-budget.ts';
import { type Difference, diffTrees } from './diff-trees.ts';
import { GitProcessError } from './limited-git.ts';
import type { Oid } from './object.ts';
import { statObjects } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { absentCode } from './run-merge-tree.ts';
import { ScratchRepository } from './scratch-repository.ts';
import { emptyTree, entryKind } from './tree.ts';

/** Changed files among which renames are looked for; more are listed without. */
const maxFiles = 20_000;
/** The part of the budget that may be spent on files beyond those that are listed: trees may expand to any number of them. */
const partForRenames = 0.25;
/** Bytes of the added and deleted files whose contents are compared; of more, only equal ones are renamed. */
const maxBytes = 64 * 1024 * 1024;
/** Of the output of git: two paths for each changed file. */
const maxOutputBytes = 64 * 1024 * 1024;
/** Renames that are remembered by the ids of two trees: some 10 MB. */
const maxKnown = 50_000;

/** A file that differs between two trees. */
export interface ChangedFile extends Omit<Difference, 'status'> {
  status: Difference['status'] | 'renamed';
  /** Where a renamed file was. */
  source: RenameSource | undefined;
}

interface RenameSource {
  /** Bytes as latin1 characters. */
  path: string;
  /** How alike the contents are, to 100. */
  similarity: number;
}

/** By the path after the rename. */
type Renames = ReadonlyMap<string, RenameSource>;

/** The answers depend on the contents alone. */
const known = new LRUCache<string, Renames>({
  max: 1_000,
  maxSize: maxKnown,
  sizeCalculation: renames => 1 + renames.size,
});

/**
 * The files that differ between two trees, by path, as `git diff` lists them: the installed git tells which added file is a deleted one
 * under another name. It is asked only where files were both added and deleted. The first `limit` files are listed, and one more when
 * there are more.
 * @throws as `diffTrees`
 */
export async function listChanges(
  repository: Repository,
  before: Oid | undefined,
  after: Oid | undefined,
  limit: number,
): Promise<ChangedFile[]> {
  const { differences, trees, isComplete } = await listDifferences(repository, before, after, limit);
  const hasBoth = ['added', 'deleted'].every(status =>
    differences.some(one => one.status === status && isBlob(one.before ?? one.after)),
  );
  const renames =
    isComplete && hasBoth ? await findRenames(repository, { before, after }, { differences, trees }) : undefined;
  const sources = new Set(renames ? [...renames.values()].map(({ path }) => path) : []);
  const deleted = new Map(differences.map(one => [one.path, one.before]));
  const files: ChangedFile[] = [];
  for (const one of differences) {
    if (one.status === 'deleted' && sources.has(one.path)) continue;
    const source = one.status === 'added' ? renames?.get(one.path) : undefined;
    files.push(
      source ? { ...one, status: 'renamed', before: deleted.get(source.path), source } : { ...one, source: undefined },
    );
    if (files.length > limit) break;
  }
  return files;
}

/** All differences, for the renames among them; where these are too many, the first ones. */
async function listDifferences(
  repository: Repository,
  before: Oid | undefined,
  after: Oid | undefined,
  limit: number,
): Promise<{ differences: Difference[]; trees: ReadonlySet<Oid>; isComplete: boolean }> {
  const trees = new Set<Oid>();
  const first = await diffTrees(repository, before, after, { maxFiles: limit, trees });
  if (first.length <= limit) return { differences: first, trees, isComplete: true };
  // Without one side, nothing is both added and deleted.
  if (before === undefined || after === undefined) return { differences: first, trees, isComplete: false };
  try {
    const steps = repository.workBudget.state.left.steps * partForRenames;
    const all = await repository.workBudget.spendPart({ steps }, workBudget =>
      diffTrees({ ...repository, workBudget }, before, after, { maxFiles, trees }),
    );
    if (all.length <= maxFiles) return { differences: all, trees, isComplete: true };
  } catch (error) {
    if (!(error instanceof WorkBudgetError) || error.limit !== 'steps') throw error;
  }
  return { differences: first, trees, isComplete: false };
}

const isBlob = (side: Difference['before']): boolean => side !== undefined && entryKind(side.mode) !== 'submodule';

/** Undefined without git. */
async function findRenames(
  repository: Repository,
  { before = emptyTree.oid, after = emptyTree.oid }: { before: Oid | undefined; after: Oid | undefined },
  { differences, trees }: { differences: readonly Difference[]; trees: ReadonlySet<Oid> },
): Promise<Renames | undefined> {
  const key = `${repository.id} ${before} ${after}`;
  const earlier = known.get(key);
  if (earlier) return earlier;
  const moved = differences.filter(({ status }) => status === 'added' || status === 'deleted');
  const blobs = moved.flatMap(one => [one.before, one.after].flatMap(side => (side && isBlob(side) ? [side.oid] : [])));
  const stats = await statObjects(repository, [...new Set(blobs)]);
  const sizes = new Map([...stats].map(([oid, { size }]) => [oid, size]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const areCompared = bytes <= maxBytes;
  const renames = await ScratchRepository.use(repository, areCompared ? bytes : 0, async scratch => {
    await scratch.copy([...trees].filter(oid => oid !== emptyTree.oid));
    if (areCompared) await scratch.copyBlobs(sizes);
    const command = ['diff-tree', '-r', '-z', '--raw', '--diff-filter=R', areCompared ? '-M' : '-M100%', before, after];
    const { output } = await scratch.run(command, { maxOutputBytes });
    return parseRenames(output);
  }).catch((error: unknown) => {
    if (error instanceof GitProcessError && error.code === absentCode) return undefined;
    throw error;
  });
  if (renames) known.set(key, renames);
  return renames;
}

/** `:<modes> <ids> R<similarity>`, the path before and the path after, each with a NUL at its end. */
function parseRenames(output: Buffer): Renames {
  const renames = new Map<string, RenameSource>();
  const fields = output.toString('latin1').split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [, similarity] = / R(\d+)$/.exec(fields[at] ?? '') ?? [];
    const [path = '', renamed = ''] = [fields[at + 1], fields[at + 2]];
    renames.set(renamed, { path, similarity: Number(similarity) });
  }
  return renames;
}
