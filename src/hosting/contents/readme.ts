import type { Context } from '../../context/context.ts';
import { findObject } from '../../git/read-objects.ts';
import { entryKind, type TreeEntry } from '../../git/tree.ts';
import { findEntry, pathParts } from '../../git/tree-path.ts';
import {
  type ContentRequest,
  type ContentSource,
  loadContent,
  openReadContext,
  type ReadContext,
} from './contents.queries.ts';
import { followLink } from './follow-link.ts';

/** Precedence of readme files: Markdown, other markup, no extension, any other extension. */
const ranks: readonly RegExp[] = [
  /^readme\.(md|markdown|mdown|mkdn?)$/i,
  /^readme\.(rst|adoc|asciidoc|asc|org|textile|creole|mediawiki|wiki|pod|rdoc)$/i,
  /^readme$/i,
  /^readme\.[^/]+$/i,
];

/** Readmes that are tried: a directory, and a link to nothing, is none. */
const maxCandidates = 20;

/** A test of six bytes instead of four expressions: a directory may have 500,000 entries. */
const isReadmeName = (name: Buffer): boolean => name.length >= 6 && /^readme$/i.test(name.toString('latin1', 0, 6));

/**
 * The readme of a repository or directory. Without `directory` it is searched in the brand directory, the root and
 * docs, in this order. Null when there is none or the caller may not read the repository.
 */
export async function findReadme(
  context: Context,
  source: ContentSource,
  { directory, ...request }: Omit<ContentRequest, 'path'> & { directory: string | undefined },
) {
  const reading = await openReadContext(context, source, request);
  if (!reading) return null;
  const folders = directory === undefined ? [`.${context.config.HOSTING_BRAND}`, '', 'docs'] : [directory];
  for (const folder of folders) {
    const found = await findReadmeIn(reading, pathParts(folder.replace(/(?<!\/)\/+$/, '')));
    if (found) return loadContent(reading, found.entry, found.parts);
  }
  return null;
}

async function findReadmeIn(
  { repository, resolved }: ReadContext,
  folder: readonly string[],
): Promise<{ entry: TreeEntry; parts: string[] } | undefined> {
  const parent = folder.length === 0 ? undefined : await findEntry(repository, resolved.tree, folder);
  if (folder.length > 0 && (!parent || entryKind(parent.mode) !== 'directory')) return undefined;
  const found = await findObject(repository, parent?.oid ?? resolved.tree);
  if (found?.type !== 'tree') return undefined;
  const { workBudget } = repository;
  const byRank: TreeEntry[][] = ranks.map(() => []);
  for (const entry of found.tree.entries) {
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    if (!isReadmeName(entry.name)) continue;
    const name = entry.name.toString('latin1');
    byRank[ranks.findIndex(one => one.test(name))]?.push(entry);
  }
  for (const entry of byRank.flat().slice(0, maxCandidates)) {
    const parts = [...folder, entry.name.toString('latin1')];
    const kind = entryKind(entry.mode);
    if (kind === 'file') return { entry, parts };
    if (kind === 'symlink' && (await followLink(repository, resolved.tree, parts, entry)).file) return { entry, parts };
  }
  return undefined;
}
