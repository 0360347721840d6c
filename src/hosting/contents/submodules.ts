import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';
import { kindOf } from '../../git/tree.ts';
import { entryAt } from '../../git/tree-path.ts';
import { blobUpTo } from './blob-text.ts';

/** Beyond this nobody wrote the file by hand, and it is not read. */
const largest = 256 * 1024;

/** Addresses of submodules by their path, as .gitmodules at the root of a tree says them. */
export async function submodulesOf(repository: Repository, root: Oid): Promise<Map<string, string>> {
  const entry = await entryAt(repository, root, ['.gitmodules']);
  if (!entry || kindOf(entry.mode) !== 'file') return new Map();
  const text = await blobUpTo(repository, entry.oid, largest);
  return parseModules(text?.toString() ?? '');
}

/** What git reads of `path` and `url` in each section; the last of a key counts. */
export function parseModules(text: string): Map<string, string> {
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
