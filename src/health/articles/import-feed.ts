import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { compactArticleTallies } from './article-tallies.ts';
import { type ImportOutcome, importEntry } from './import-articles.ts';
import { refreshLexemeFrequencies } from './lexeme-frequencies.ts';
import type { Feed } from './read-feed.ts';

/** What became of one entry of a feed. */
export interface ImportedEntry {
  /** 1-based position in the feed. */
  position: number;
  title: string | null;
  link: string | null;
  outcome: ImportOutcome | 'rejected';
  /** Why it was rejected or older; null otherwise. */
  reason: string | null;
}

/** What one import needs beside the feed. */
export interface FeedImport {
  /** Code of the publisher. */
  source: string;
  now: Date;
  record(entry: ImportedEntry): void;
  progress?(done: number, all: number): void;
}

/**
 * Stores the entries of a feed as articles, each in a transaction of its own; in a savepoint where `em` is in a transaction. An entry that
 * cannot be stored is recorded as rejected, and the others go on. @throws what ends the transaction of `em`
 */
export async function importFeed(
  em: EntityManager,
  feed: Feed,
  { source, now, record, progress }: FeedImport,
): Promise<void> {
  for (const { position, title, reason, kept } of feed.rejected) {
    record({ position, title, link: null, outcome: kept === undefined ? 'rejected' : 'older', reason });
  }
  for (const [index, entry] of feed.entries.entries()) {
    progress?.(index + 1, feed.entries.length);
    const told = { position: entry.position, title: entry.headline, link: entry.link };
    try {
      const own = em.fork({ keepTransactionContext: true });
      const outcome = await importEntry(own, entry, source, now, feed.writtenAt);
      record({ ...told, outcome, reason: outcome === 'older' ? 'the stored version is a later one' : null });
    } catch (error) {
      record({ ...told, outcome: 'rejected', reason: `it could not be stored: ${(error as Error).message}` });
    }
  }
}

/** Counts the words and the lists of articles anew, after an import that changed some. `em` is in a transaction. */
export async function recountArticles(em: EntityManager): Promise<void> {
  const db = em.getKysely() as unknown as Kysely<unknown>;
  await refreshLexemeFrequencies(db);
  await compactArticleTallies(db);
}
