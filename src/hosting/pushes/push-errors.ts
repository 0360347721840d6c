import { GitError } from '../../git/git-error.ts';
import { gitErrorProblem, gitProblems } from '../git-problems.ts';
import type { RefChange } from './prepared-push.ts';
import type { PushResult } from './push-request.ts';

/**
 * The changes of a successful push.
 * @throws 409 when the push was refused by rules or lost a race
 */
export function assertPushed(result: PushResult): RefChange[] {
  switch (result.kind) {
    case 'pushed':
      return result.changes;
    case 'refused':
      throw gitProblems.pushRefused(result.violations.map(({ message }) => message));
    case 'conflict':
      throw result.reason === 'busy' ? gitProblems.refBusy(result.ref) : gitProblems.refMoved(result);
  }
}

/**
 * Runs work that reads or stores git objects. A GitError that the client can fix becomes a 422 (or 404); others stay
 * internal errors.
 */
export async function translateGitErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof GitError ? gitErrorProblem(error) : error;
  }
}
