import { LRUCache } from 'lru-cache';
import type { Context } from '../../context/context.ts';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import { findObjects, readCommit, statObjects } from '../../git/read-objects.ts';
import { readRef } from '../../git/refs.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { entryKind } from '../../git/tree.ts';
import { languageOfFile } from './language-names.ts';

/** A language with its bytes. */
interface LanguageRow {
  name: string;
  size: number;
}

/** Files and directories that are looked at, so that the work does not grow with the repository. */
const maxEntries = 10_000;

/** Trees never change, so that entries are never wrong. The languages of a repository take some hundred bytes. */
const known = perDatabase(() => new LRUCache<Oid, readonly LanguageRow[]>({ max: 2_000 }));

/**
 * The languages of the files at the tip of the default branch, by the endings of their names; empty for a repository without commits.
 * Counts the first 10,000 files and directories, those nearer to the root first.
 */
export async function languagesOf(
  { read }: Pick<Context, 'read'>,
  { databaseId, defaultBranch }: { databaseId: number; defaultBranch: string },
): Promise<readonly LanguageRow[]> {
  const repository = openRepository(read, databaseId);
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
  const languages = await countLanguages(repository, tree);
  cache.set(tree, languages);
  return languages;
}

async function countLanguages(repository: Repository, root: Oid): Promise<readonly LanguageRow[]> {
  const files: { oid: Oid; language: string }[] = [];
  let left = maxEntries;
  for (let trees = [root]; trees.length > 0 && left > 0; ) {
    const found = await findObjects(repository, trees);
    const below: Oid[] = [];
    for (const oid of trees) {
      for (const entry of found.get(oid)?.tree.entries ?? []) {
        if (left === 0) break;
        left -= 1;
        const kind = entryKind(entry.mode);
        if (kind === 'directory') below.push(entry.oid);
        const language = kind === 'file' ? languageOfFile(entry.name.toString('latin1')) : undefined;
        if (language !== undefined) files.push({ oid: entry.oid, language });
      }
    }
    trees = below;
  }
  const sizes = await statObjects(repository, [...new Set(files.map(({ oid }) => oid))]);
  const sums = new Map<string, number>();
  for (const { oid, language } of files) {
    const size = sizes.get(oid)?.size ?? 0;
    if (size > 0) sums.set(language, (sums.get(language) ?? 0) + size);
  }
  const all = [...sums].map(([name, size]) => ({ name, size }));
  return all.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
}
