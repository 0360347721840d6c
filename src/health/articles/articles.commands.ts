import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { compactArticleTallies } from './article-tallies.ts';
import { type ImportOutcome, importEntry } from './import-articles.ts';
import { refreshLexemeFrequencies } from './lexeme-frequencies.ts';
import { type Feed, FeedUnreadable, readFeed } from './read-feed.ts';

/** Context of the import command. */
export interface ImportCommandContext {
  em: EntityManager;
  now: Date;
  write(line: string): void;
  /** Overwrites the current line of a terminal; does nothing without a terminal. */
  progress(text: string): void;
}

export interface ImportReport extends Record<ImportOutcome, number> {
  rejected: number;
  /** Files that are no feed or cannot be read. */
  unreadable: number;
}

const feedFileName = /\.(xml|rss|atom|rdf|json)$/i;

/**
 * Imports feed files (RSS 2.0, Atom, JSON Feed) as articles of `source`. A directory stands for all feed files below
 * it. Reports each rejected entry with its reason and continues.
 */
export async function importArticles(
  path: string,
  source: string,
  context: ImportCommandContext,
): Promise<ImportReport> {
  const report: ImportReport = { added: 0, updated: 0, unchanged: 0, rejected: 0, unreadable: 0 };
  for (const file of findFeedFiles(path)) {
    const feed = tryReadFeed(file, report, context);
    if (!feed) continue;
    for (const { position, title, reason } of feed.rejected) {
      reject(`${file}: entry ${position}${title ? ` «${title}»` : ''}: ${reason}.`);
    }
    for (const [index, entry] of feed.entries.entries()) {
      context.progress(`${file}: ${index + 1} of ${feed.entries.length}`);
      try {
        report[await importEntry(context.em.fork(), entry, source, context.now)]++;
      } catch (error) {
        reject(`${file}: «${entry.headline}» could not be stored: ${(error as Error).message}`);
      }
    }
    context.progress('');
  }
  if (report.added + report.updated > 0) {
    await context.em.fork().transactional(async em => {
      const db = em.getKysely() as unknown as Kysely<unknown>;
      await refreshLexemeFrequencies(db);
      await compactArticleTallies(db);
    });
  }
  context.write(
    `${report.added} added, ${report.updated} updated, ${report.unchanged} unchanged, ${report.rejected} rejected.`,
  );
  return report;

  function reject(line: string): void {
    report.rejected++;
    context.progress('');
    context.write(line);
  }
}

function tryReadFeed(file: string, report: ImportReport, { now, write }: ImportCommandContext): Feed | undefined {
  try {
    return readFeed(readFileSync(file), { now });
  } catch (error) {
    if (!(error instanceof FeedUnreadable) && (error as { code?: unknown }).code === undefined) throw error;
    report.unreadable++;
    write(`${file}: ${(error as Error).message}`);
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
