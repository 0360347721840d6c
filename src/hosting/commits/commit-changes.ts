import { setImmediate } from 'node:timers/promises';
import type { CommitFile, CommitStats } from '../../../schema/hosting/commit-documents.ts';
import type { Context } from '../../context/context.ts';
import { isBinary } from '../../git/binary-content.ts';
import { chunkBytes } from '../../git/chunk-rows.ts';
import { type Difference, diffTrees } from '../../git/diff-trees.ts';
import { DiffBudget, diffLines, formatPatch, splitLines } from '../../git/line-diff.ts';
import type { Oid } from '../../git/object.ts';
import { findObjects, readCommit, statObjects } from '../../git/read-objects.ts';
import type { Repository } from '../../git/repository.ts';
import { entryKind } from '../../git/tree.ts';
import { contentUrls } from '../contents/content-urls.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';

/**
 * Limits of one answer. Files beyond them are listed without their lines; beyond `files` they are not listed. Blobs of more than
 * `chunkBytes` could not be read together.
 */
const limits = { files: 3_000, blobBytes: chunkBytes, bytes: 16 * 1024 * 1024, patchBytes: 4 * 1024 * 1024 };

/** Files whose blobs are read by one statement. */
const filesPerRead = 100;

/** What one commit changes compared with another. */
export interface CommitChanges {
  files: ChangedFile[];
  stats: CommitStats;
}

export interface ChangedFile extends CommitFile {
  difference: Difference;
}

/** Two commits of a repository; `before` is undefined for a root commit. */
interface CommitPair {
  place: OwnedRow;
  store: Repository;
  before: Oid | undefined;
  after: Oid;
}

const statuses = { added: 'added', deleted: 'removed', modified: 'modified', 'type-changed': 'changed' } as const;

/** The files that differ, by path, at most `maxFiles`, with the lines that were added and deleted. */
export async function compareCommits(
  context: Context,
  pair: CommitPair,
  maxFiles = limits.files,
): Promise<CommitChanges> {
  const { store, before, after } = pair;
  const old = before === undefined ? undefined : (await readCommit(store, before)).tree;
  const current = (await readCommit(store, after)).tree;
  const differences = (await diffTrees(store, old, current)).slice(0, maxFiles);
  const comparable = await chooseComparable(store, differences);
  const budget = new DiffBudget();
  const files: ChangedFile[] = [];
  let patchBytes = 0;
  for (let at = 0; at < differences.length; at += filesPerRead) {
    const group = differences.slice(at, at + filesPerRead);
    const blobs = await findObjects(
      store,
      group.flatMap(difference => (comparable.has(difference) ? blobsOf(difference) : [])),
    );
    for (const difference of group) {
      // Other requests run between two files.
      await setImmediate();
      const lines = comparable.has(difference) ? compareFile(difference, blobs, budget) : notCompared;
      patchBytes += lines.patch?.length ?? 0;
      const patch = patchBytes <= limits.patchBytes ? lines.patch : null;
      context.largeValues.take(patch?.length ?? 0);
      files.push({ ...describeFile(context, pair, difference), ...lines, patch, difference });
    }
  }
  const sum = (field: 'additions' | 'deletions'): number => files.reduce((total, file) => total + file[field], 0);
  const [additions, deletions] = [sum('additions'), sum('deletions')];
  return { files, stats: { additions, deletions, total: additions + deletions } };
}

function describeFile(
  context: Context,
  { place, before, after }: CommitPair,
  { path, status, before: old, after: current }: Difference,
): Pick<CommitFile, 'sha' | 'filename' | 'status' | 'blobUrl' | 'rawUrl' | 'contentsUrl'> {
  const filename = Buffer.from(path, 'latin1').toString();
  const sha = (current ?? old)?.oid ?? '';
  const { ownerLogin: owner, name, isPrivate, databaseId: repositoryId } = place;
  // A removed file is at the commit before.
  const location = { owner, name, isPrivate, repositoryId, ref: current ? after : (before ?? after) };
  const urls = contentUrls(context, location, { kind: 'file', path: filename, sha });
  const [blobUrl, rawUrl] = [urls.htmlUrl ?? '', urls.downloadUrl ?? ''];
  return { sha, filename, status: statuses[status], blobUrl, rawUrl, contentsUrl: urls.url };
}

type ComparedLines = Pick<CommitFile, 'additions' | 'deletions' | 'changes' | 'patch'>;

const notCompared: ComparedLines = { additions: 0, deletions: 0, changes: 0, patch: null };

function compareFile(
  { before, after }: Difference,
  blobs: ReadonlyMap<Oid, { content: Buffer }>,
  budget: DiffBudget,
): ComparedLines {
  if (before?.oid === after?.oid) return notCompared;
  const [old, current] = [textOf(before, blobs), textOf(after, blobs)];
  if (old === undefined || current === undefined) return notCompared;
  const [one, other] = [splitLines(old), splitLines(current)];
  const changes = diffLines(one, other, budget);
  const additions = changes.reduce((sum, change) => sum + change.after.count, 0);
  const deletions = changes.reduce((sum, change) => sum + change.before.count, 0);
  const patch = formatPatch(one, other, changes);
  return { additions, deletions, changes: additions + deletions, patch: patch.replace(/\n$/, '') || null };
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
): Promise<ReadonlySet<Difference>> {
  const heads = await statObjects(store, [...new Set(differences.flatMap(blobsOf))]);
  const chosen = new Set<Difference>();
  let left = limits.bytes;
  for (const difference of differences) {
    const blobs = blobsOf(difference).map(oid => heads.get(oid));
    const bytes = blobs.reduce((sum, head) => sum + (head?.size ?? 0), 0);
    if (bytes > left || !blobs.every(head => head?.type === 'blob' && head.size <= limits.blobBytes)) continue;
    left -= bytes;
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

/** The changes as `git diff` prints them. Files whose lines were not compared are binary there. */
export function formatDiff({ files }: CommitChanges): string {
  return files.map(formatFileDiff).join('');
}

function formatFileDiff({ filename, patch, difference: { before, after } }: ChangedFile): string {
  const none = '0'.repeat(7);
  const [from, to] = [quotePath(`a/${filename}`), quotePath(`b/${filename}`)];
  const lines = [`diff --git ${from} ${to}`];
  if (!before) lines.push(`new file mode ${after?.mode}`);
  else if (!after) lines.push(`deleted file mode ${before.mode}`);
  else if (before.mode !== after.mode) lines.push(`old mode ${before.mode}`, `new mode ${after.mode}`);
  if (before?.oid !== after?.oid) {
    const mode = before && before.mode === after?.mode ? ` ${before.mode}` : '';
    lines.push(`index ${before?.oid.slice(0, 7) ?? none}..${after?.oid.slice(0, 7) ?? none}${mode}`);
    const [old, current] = [before ? from : '/dev/null', after ? to : '/dev/null'];
    if (patch !== null) lines.push(`--- ${old}`, `+++ ${current}`, patch);
    else lines.push(`Binary files ${old} and ${current} differ`);
  }
  return `${lines.join('\n')}\n`;
}

/** A name with a line feed, a quote or the like is quoted as a C string, as git does. */
function quotePath(path: string): string {
  if (!/["\\\p{Cc}]/u.test(path)) return path;
  const quoted = path.replace(/["\\]/g, '\\$&').replace(/\p{Cc}/gu, one => {
    const known: Record<string, string> = { '\n': '\\n', '\t': '\\t' };
    return known[one] ?? `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${quoted}"`;
}
