import type { Context } from '../../context/context.ts';
import type { Commit } from '../../git/commit.ts';
import { decodeGitText } from '../../git/git-text.ts';
import type { GitObject } from '../../git/object.ts';
import { maxSeconds, type Person } from '../../git/person.ts';
import type { SignatureVerification } from '../../git/signatures/verify-commit.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';

export interface VerifiedCommit extends SignatureVerification {
  /** When the signature was first found valid, as PostgreSQL prints it; null for every other reason. */
  verifiedAt: string | null;
}

/** The columns of the repository that the URLs and the verification of a commit need. */
export type CommitRepository = Pick<OwnedRow, 'databaseId' | 'ownerLogin' | 'name' | 'networkRootId'>;

/** A commit whose signature is verified. */
export interface SignedObject {
  place: CommitRepository;
  object: Pick<GitObject, 'oid' | 'content'>;
}

/** Characters of the texts of a usual commit. Less is not counted: lists of usual commits never reach the limit of a response. */
const usualChars = 4_096;

/** Counts texts of a commit, which may have a megabyte each, as a large value. @throws responseTooLarge */
export function takeCommitText({ largeValues }: Pick<Context, 'largeValues'>, chars: number): void {
  if (chars > usualChars) largeValues.take(chars);
}

/** The time of a person in the offset that the object states; in UTC where that is no offset. */
export function zonedTime({ seconds, zone }: Person): string {
  const [, sign, hours, minutes] = /^([+-])(\d{2})(\d{2})$/.exec(zone) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  const isOffset = sign !== undefined && offset < 24 * 60 && Number(minutes) < 60;
  const shift = isOffset ? (sign === '-' ? -offset : offset) * 60 : 0;
  const local = new Date(Math.min(seconds + shift, maxSeconds) * 1000).toISOString().slice(0, 19);
  return offset === 0 || !isOffset ? `${local}Z` : `${local}${sign}${hours}:${minutes}`;
}

/** A loop instead of a regular expression: one that ends in `+$` takes quadratic time for a text full of line feeds. */
export function trimTrailingNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

/** The message without trailing line feeds. */
export function commitMessage(commit: Commit): string {
  return trimTrailingNewlines(decodeGitText(commit.message, commit.encoding));
}
