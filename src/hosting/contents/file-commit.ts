import type { Context } from '../../context/context.ts';
import type { Commit } from '../../git/commit.ts';
import type { GitObject } from '../../git/object.ts';
import type { Person } from '../../git/person.ts';
import { verifyCommit } from '../../git/signatures/verify-commit.ts';
import { nodeIdOf } from '../node-id.ts';
import type { Place } from './place.ts';

/** A commit as the answer to a change of a file tells it. */
export async function fileCommit(context: Context, { owner, name }: Place, object: GitObject, commit: Commit) {
  const repository = `${owner}/${name}`;
  const git = `${context.base}/repos/${repository}/git`;
  const page = (sha: string): string => `${context.origin}/${repository}/commit/${sha}`;
  return {
    sha: object.oid,
    nodeId: nodeIdOf('Commit', object.oid),
    url: `${git}/commits/${object.oid}`,
    htmlUrl: page(object.oid),
    author: personOf(commit.author),
    committer: personOf(commit.committer),
    tree: { sha: commit.tree, url: `${git}/trees/${commit.tree}` },
    message: commit.message.toString().replace(/\n+$/, ''),
    parents: commit.parents.map(sha => ({ sha, url: `${git}/commits/${sha}`, htmlUrl: page(sha) })),
    verification: await verificationOf(context, object),
  };
}

function personOf({ name, email, seconds }: Person) {
  return { name, email, date: `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z` };
}

/** What is known of the signature of a commit. Those made here have none, so that no key and no address is looked up. */
export async function verificationOf({ now }: Pick<Context, 'now'>, { oid, content }: GitObject) {
  const { reason, signature, payload } = await verifyCommit(content, oid, { keys: [], emails: [], now: now() });
  return { verified: reason === 'valid', reason, signature, payload, verifiedAt: null };
}
