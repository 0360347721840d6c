import type { CommitVerification, GitCommit, GitLink, GitPerson } from '../../../schema/hosting/git-commit.ts';
import type { Context } from '../../context/context.ts';
import type { Commit } from '../../git/commit.ts';
import { parseCommit } from '../../git/commit.ts';
import type { GitObject } from '../../git/object.ts';
import type { Person } from '../../git/person.ts';
import type { SignatureVerification } from '../../git/signatures/verify-commit.ts';
import { nodeIdOf } from '../node-id.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';

export interface VerifiedCommit extends SignatureVerification {
  /** When it was first found valid, as PostgreSQL prints it; null for all other reasons. */
  verifiedAt: string | null;
}

/** Where a commit was found: what its addresses and its verification need of the repository. */
export type CommitRepository = Pick<OwnedRow, 'databaseId' | 'ownerLogin' | 'name' | 'networkRootId'>;

/** A commit as the graph has it, with what its verification is found by. */
export interface GitCommitRow extends GitCommit {
  place: CommitRepository;
  object: Pick<GitObject, 'oid' | 'content'>;
}

/**
 * The one place where a commit of the store becomes the published Git commit object. `object` may be any object of type
 * commit; one that was read through the store brings its parsed form along.
 */
export function toGitCommit(
  { origin, apiBaseUrl }: Pick<Context, 'origin' | 'apiBaseUrl'>,
  place: CommitRepository,
  object: Pick<GitObject, 'oid' | 'content'> & { commit?: Commit },
): GitCommitRow {
  const { oid } = object;
  const commit = object.commit ?? parseCommit(object.content, oid);
  const api = `${apiBaseUrl}/repos/${place.ownerLogin}/${place.name}/git`;
  const web = `${origin}/${place.ownerLogin}/${place.name}`;
  return {
    place,
    object,
    sha: oid,
    nodeId: nodeIdOf('Commit', `${place.databaseId}:${oid}`),
    url: `${api}/commits/${oid}`,
    webUrl: `${web}/commit/${oid}`,
    author: toGitPerson(commit.author),
    committer: toGitPerson(commit.committer),
    message: commitMessage(commit),
    tree: { sha: commit.tree, url: `${api}/trees/${commit.tree}`, webUrl: `${web}/tree/${commit.tree}` },
    parents: commit.parents.map(
      (sha): GitLink => ({ sha, url: `${api}/commits/${sha}`, webUrl: `${web}/commit/${sha}` }),
    ),
  };
}

/** 9999-12-31T23:59:59Z: what a stored date says beyond it no client can read. */
const maxSeconds = 253_402_300_799;

export function toGitPerson({ name, email, seconds }: Person): GitPerson {
  const date = new Date(Math.min(seconds, maxSeconds) * 1000).toISOString().replace('.000Z', 'Z');
  return { name, email, date };
}

/** The verdict on a signature in the published form. */
export function toCommitVerification({ reason, signature, payload, verifiedAt }: VerifiedCommit): CommitVerification {
  return { verified: reason === 'valid', reason, signature, payload, verifiedAt };
}

/** By steps: a pattern that ends in `+$` takes the square of the length for a text full of line feeds. */
function trimTrailingNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

/** The message as it is published: text, without the line feeds at its end. */
export function commitMessage(commit: Commit): string {
  return trimTrailingNewlines(decodeMessage(commit));
}

/** In the encoding that the commit names, where it is one that is known. */
function decodeMessage({ encoding, message }: Commit): string {
  if (encoding === undefined) return message.toString();
  try {
    return new TextDecoder(encoding).decode(message);
  } catch {
    return message.toString();
  }
}
