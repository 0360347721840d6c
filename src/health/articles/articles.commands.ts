import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ImportOutcome } from './import-articles.ts';
import { type ImportedEntry, importFeed, recountArticles } from './import-feed.ts';
import { type Feed, FeedUnreadable, readFeed } from './read-feed.ts';

/** Context of the import command. */
export interface ImportCommandContext {
  em: EntityManager;
  now: Date;
  write(line: string): void;
  /** Overwrites the current line of a terminal; does nothing without a terminal. */
  progress(text: string): void;
  /** Reports what became of every entry, not only of those that readers see changed. */
  verbose?: boolean;
}

/** What became of one entry, or of a file that could not be read. */
interface ImportedFileEntry extends Omit<ImportedEntry, 'position' | 'outcome'> {
  file: string;
  /** 1-based position in the file; null for the file as a whole. */
  position: number | null;
  outcome: ImportedEntry['outcome'] | 'unreadable';
}

export interface ImportReport extends Record<ImportOutcome, number> {
  rejected: number;
  /** Files that are no feed or cannot be read. */
  unreadable: number;
  /** In the order of files and positions. */
  entries: ImportedFileEntry[];
}

const feedFileName = /\.(xml|rss|atom|rdf|json)$/i;

/**
 * Imports feed files (RSS 0.9 to 2.0, Atom, JSON Feed) as articles of `source`. A directory stands for all feed files below
 * it. Reports what became of each entry, and continues after one that is rejected.
 */
export async function importArticles(
  path: string,
  source: string,
  context: ImportCommandContext,
): Promise<ImportReport> {
  const report: ImportReport = {
    added: 0,
    updated: 0,
    unchanged: 0,
    older: 0,
    rejected: 0,
    unreadable: 0,
    entries: [],
  };
  const record = (entry: ImportedFileEntry) => {
    report[entry.outcome]++;
    report.entries.push(entry);
    const line = lineOf(entry, context.verbose ?? false);
    if (line === null) return;
    context.progress('');
    context.write(line);
  };
  const files = findFeedFiles(path);
  if (files.length === 0)
    record(unreadable(path, 'The folder has no files that end in .xml, .rss, .atom, .rdf or .json.'));
  for (const file of files) {
    const feed = tryReadFeed(file, record, context);
    if (feed) {
      await importFeed(context.em, feed, {
        source,
        now: context.now,
        record: entry => record({ file, ...entry }),
        progress: (done, all) => context.progress(`${file}: ${progressBar(done, all)}`),
      });
    }
    context.progress('');
  }
  if (report.added + report.updated > 0) await context.em.fork().transactional(recountArticles);
  context.write(summaryOf(report));
  return report;
}

/** Exit status of the command: 1 when some entries or files were refused, 2 when nothing was accepted. */
export function importStatus({ added, updated, unchanged, older, rejected, unreadable }: ImportReport): 0 | 1 | 2 {
  if (rejected + unreadable === 0) return 0;
  return added + updated + unchanged + older > 0 ? 1 : 2;
}

function progressBar(done: number, all: number): string {
  const width = 30;
  const filled = Math.floor((done / all) * width);
  return `[${'#'.repeat(filled)}${' '.repeat(width - filled)}] ${done} of ${all}`;
}

/** Null for what needs no line: entries that are new or unchanged, unless everything is reported. */
function lineOf({ file, position, title, outcome, reason }: ImportedFileEntry, verbose: boolean): string | null {
  if (outcome === 'unreadable') return `${file}: ${reason}`;
  if (!verbose && (outcome === 'added' || outcome === 'unchanged')) return null;
  const what = outcome === 'rejected' ? reason : reason === null ? outcome : `${outcome}, ${reason}`;
  return `${file}: entry ${position}${title ? ` «${title}»` : ''}: ${what}.`;
}

function summaryOf({ added, updated, unchanged, older, rejected }: ImportReport): string {
  const counts = [`${added} added`, `${updated} updated`, `${unchanged} unchanged`];
  if (older > 0) counts.push(`${older} older`);
  return `${[...counts, `${rejected} rejected`].join(', ')}.`;
}

const unreadable = (file: string, reason: string): ImportedFileEntry => ({
  file,
  position: null,
  title: null,
  link: null,
  outcome: 'unreadable',
  reason,
});

function tryReadFeed(
  file: string,
  record: (entry: ImportedFileEntry) => void,
  { now }: ImportCommandContext,
): Feed | undefined {
  try {
    return readFeed(readFileSync(file), { now });
  } catch (error) {
    if (!(error instanceof FeedUnreadable) && (error as { code?: unknown }).code === undefined) throw error;
    record(unreadable(file, (error as Error).message));
    return undefined;
  }
}

function findFeedFiles(path: string): string[] {
  // A named file is used whatever its extension; reading it reports errors.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => feedFileName.test(name))
    .sort()
    .map(name => join(path, name));
}
