import { GitProcessError } from './limited-git.ts';
import { MergeConflict, parseConflict } from './merge-conflict.ts';
import type { Oid } from './object.ts';
import type { GitOutput, ScratchRepository } from './scratch-repository.ts';

/** Of the output, for the first conflict. */
const maxOutputBytes = 1024 * 1024;
/** The code with which git ends that does not know an option: `merge-tree --write-tree` is of 2.38. */
const usageCode = 129;
/** The code with which the shell ends that does not find git. */
export const absentCode = 127;
/** git 2.39 aborts in some merges of ancestors with renamed directories, wherever it runs: an assertion fails. */
const abortCode = 134;

/** git looks for an object that it was not given. */
export class MissingForMerge extends Error {}

export const tooLargeToMerge = (): MergeConflict =>
  new MergeConflict('', 'The files that both sides change are too many or too large to be merged.');

/**
 * Merges two commits of a scratch repository. Returns the id of the merged tree.
 * @throws MergeConflict, also for what git is too old for; MissingForMerge; WorkBudgetError
 */
export async function runMergeTree(
  scratch: ScratchRepository,
  [ours, theirs]: readonly [ours: Oid, theirs: Oid],
): Promise<Oid> {
  let answer: GitOutput;
  try {
    answer = await scratch.run(['merge-tree', '--write-tree', '-z', '--messages', ours, theirs], { maxOutputBytes });
  } catch (error) {
    if (!(error instanceof GitProcessError)) throw error;
    if (error.code === absentCode)
      throw new MergeConflict('', 'Both sides change the same files, and this server has no git.');
    if (error.code === usageCode)
      throw new MergeConflict('', 'Both sides change the same files, and the git of this server is older than 2.38.');
    if (error.code === abortCode) throw new MergeConflict('', 'git cannot merge these histories.');
    if (/unable to read|could not read|cannot read/i.test(error.stderr)) throw new MissingForMerge();
    throw error;
  }
  if (answer.code === 1) throw parseConflict(answer.output);
  return answer.output.toString('latin1', 0, 40);
}
