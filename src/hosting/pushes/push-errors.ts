import { conflict, notFound, validationFailed } from '../../errors/errors.ts';
import { GitError } from '../../git/git-error.ts';
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
    case 'refused': {
      const lines = new Set(result.violations.map(({ message }) => message));
      throw conflict({ metadata: {} }, ['Repository rule violations found', '', ...lines].join('\n'));
    }
    case 'conflict': {
      const { reason, ref, actual, expected } = result;
      if (reason === 'busy') throw conflict({ reason }, `Others are writing ${ref} at this moment. Try again.`);
      throw conflict({ reason }, `is at ${actual ?? 'nothing'} but expected ${expected ?? 'nothing'}`);
    }
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
    throw error instanceof GitError ? toClientError(error) : error;
  }
}

function toClientError(error: GitError): Error {
  switch (error.code) {
    case 'bad-path': {
      if (error.subject.startsWith('/')) return validationFailed([], 'path cannot start with a slash');
      const entry = { resource: 'Commit', field: 'path', code: 'invalid' } as const;
      return validationFailed([entry], 'path contains a malformed path component');
    }
    case 'missing':
      return validationFailed([], error.message);
    case 'not-a-repository':
      return notFound();
    case 'corrupt':
      return error;
    default:
      return validationFailed([], error.message);
  }
}
