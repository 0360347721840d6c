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
    const equals = trimmed.indexOf('=');
    const key = trimmed.slice(0, Math.max(equals, 0)).trimEnd().toLowerCase();
    if (!section || (key !== 'path' && key !== 'url')) continue;
    const value = trimmed.slice(equals + 1).trimStart();
    section[key] = value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
  }
  close();
  return modules;
}
