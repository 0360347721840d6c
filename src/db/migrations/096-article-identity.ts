import { type ConcurrentIndex, ConcurrentIndexes } from '../concurrent-indexes.ts';

/** What identifies an article: the guid of its entry in a feed, and its link. */
export class ArticleIdentity extends ConcurrentIndexes {
  override readonly indexes: readonly ConcurrentIndex[] = [
    { name: 'article_source_url', on: 'article (source_url)' },
    { name: 'article_entry', on: 'article (source, entry_id) where entry_id is not null', isUnique: true },
  ];
}
