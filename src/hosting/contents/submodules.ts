import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';
import { entryKind } from '../../git/tree.ts';
import { findEntry } from '../../git/tree-path.ts';
import { readSmallBlob } from './read-small-blob.ts';

/** Maximum size of .gitmodules; a larger file is ignored. */
const maxFileBytes = 256 * 1024;

/** URLs of submodules by path, from .gitmodules in the root tree. */
export async function readSubmodules(repository: Repository, root: Oid): Promise<Map<string, string>> {
  const entry = await findEntry(repository, root, ['.gitmodules']);
  if (!entry || entryKind(entry.mode) !== 'file') return new Map();
  const text = await readSmallBlob(repository, entry.oid, maxFileBytes);
  return parseGitmodules(text?.toString() ?? '');
}

/** Reads `path` and `url` of each section as git does; the last value of a key counts. */
export function parseGitmodules(text: string): Map<string, string> {
  const modules = new Map<string, string>();
  let section: { path?: string; url?: string } | undefined;
  const close = (): void => {
    if (section?.path !== undefined && section.url !== undefined) modules.set(section.path, section.url);
  };
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) {
      close();
      section = /^\[submodule\s/i.test(trimmed) ? {} : undefined;
      continue;
    }
    const [, key, value = ''] = /^(path|url)\s*=\s*(.*)$/i.exec(trimmed) ?? [];
    if (key === undefined || !section) continue;
    section[key.toLowerCase() as 'path' | 'url'] = value.replace(/^"(.*)"$/, '$1');
  }
  close();
  return modules;
}
