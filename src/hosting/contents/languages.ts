import { LRUCache } from 'lru-cache';
import type { Context } from '../../context/context.ts';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import { readCommit } from '../../git/read-objects.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { compute } from '../../workers/computation.ts';
import { findRef } from '../git-data/refs.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { type LanguageRow, languagesComputation } from './languages-computation.ts';

/** Trees never change, so that entries are never wrong. The languages of a repository take some hundred bytes. */
const known = perDatabase(() => new LRUCache<Oid, readonly LanguageRow[]>({ max: 2_000 }));

/**
 * The languages of the files at the tip of the default branch, by the endings of their names; empty for a repository without commits.
 * Counts the first 10,000 files and directories, those nearer to the root first.
 */
export async function languagesOf(context: Context, row: OwnedRow): Promise<readonly LanguageRow[]> {
  const { databaseId, defaultBranch, languages: tip } = row;
  const oid =
    tip === undefined ? (await findRef(context, row, [`refs/heads/${defaultBranch}`]))?.oid : tip?.toString('hex');
  return oid === undefined ? [] : languagesAt(openRepository(context, databaseId), oid);
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
