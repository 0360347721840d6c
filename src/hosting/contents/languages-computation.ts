import type { Oid } from '../../git/object.ts';
import { readBatches, statObjects } from '../../git/read-objects.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { entryKind, type TreeEntry } from '../../git/tree.ts';
import type { Computation } from '../../workers/computation.ts';
import { languageOfFile } from './language-names.ts';

/** A language with its bytes. */
export interface LanguageRow {
  name: string;
  size: number;
}

/** Files and directories that are looked at, so that the work does not grow with the repository. */
const maxEntries = 10_000;
/** Directories that are read together, so that few are read in vain. */
const treesPerRead = 100;

/** The languages below a tree. @throws GitError when objects are missing */
export const languagesComputation: Computation<{ repositoryId: number; tree: Oid }, readonly LanguageRow[]> = {
  name: 'languages',
  run: (source, { repositoryId, tree }) => countLanguages(openRepository(source, repositoryId), tree),
};

async function countLanguages(repository: Repository, root: Oid): Promise<readonly LanguageRow[]> {
  const { workBudget } = repository;
  const files: { oid: Oid; language: string }[] = [];
  let left = maxEntries;
  for (let trees = [root]; trees.length > 0 && left > 0; ) {
    const below: Oid[] = [];
    const look = async (entries: readonly TreeEntry[]): Promise<void> => {
      for (const entry of entries.slice(0, left)) {
        workBudget.spendSteps();
        if (workBudget.isTurnDue) await workBudget.turn();
        const kind = entryKind(entry.mode);
        if (kind === 'directory') below.push(entry.oid);
        const language = kind === 'file' ? languageOfFile(entry.name.toString('latin1')) : undefined;
        if (language !== undefined) files.push({ oid: entry.oid, language });
      }
      left = Math.max(0, left - entries.length);
    };
    // A directory that is at many paths is read once and counted for each of them.
    for (let at = 0; at < trees.length && left > 0; at += treesPerRead) {
      const group = trees.slice(at, at + treesPerRead);
      const entriesOf = new Map<Oid, readonly TreeEntry[]>();
      for await (const { found } of readBatches(repository, group)) {
        for (const [oid, object] of found) entriesOf.set(oid, object.tree.entries.slice(0, left));
      }
      for (const oid of group) await look(entriesOf.get(oid) ?? []);
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
