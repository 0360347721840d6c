import { LRUCache } from 'lru-cache';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import { readCommit } from '../../git/read-objects.ts';
import { readRef } from '../../git/refs.ts';
import { openRepository, type Repository, type RepositorySource } from '../../git/repository.ts';
import { compute } from '../../workers/computation.ts';
import { type LanguageRow, languagesComputation } from './languages-computation.ts';

/** Trees never change, so that entries are never wrong. The languages of a repository take some hundred bytes. */
const known = perDatabase(() => new LRUCache<Oid, readonly LanguageRow[]>({ max: 2_000 }));

/**
 * The languages of the files at the tip of the default branch, by the endings of their names; empty for a repository without commits.
 * Counts the first 10,000 files and directories, those nearer to the root first.
 */
export async function languagesOf(
  context: RepositorySource,
  { databaseId, defaultBranch }: { databaseId: number; defaultBranch: string },
): Promise<readonly LanguageRow[]> {
  const repository = openRepository(context, databaseId);
  const tip = await readRef(repository, `refs/heads/${defaultBranch}`);
  if (tip === undefined) return [];
  return languagesAt(repository, tip);
}

/** The same of a commit. @throws GitError when objects are missing */
export async function languagesAt(repository: Repository, commit: Oid): Promise<readonly LanguageRow[]> {
  const { tree } = await readCommit(repository, commit);
  const cache = known(repository.read);
  const cached = cache.get(tree);
  if (cached) return cached;
  const languages = await compute(repository, languagesComputation, { repositoryId: repository.id, tree });
  cache.set(tree, languages);
  return languages;
}
