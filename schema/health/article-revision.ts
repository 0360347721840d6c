import { Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Article } from './article.ts';

@Noun('article_revision', 'Earlier version of an article, which a correction replaced.')
@Retained<ArticleRevision>({ rows: 'as long as the article: one row for each correction' })
@Index<ArticleRevision>('article_revision_by_article', ['articleId', 'id'])
export class ArticleRevision {
  @Key()
  id!: number;

  @Owner(() => Article, { onDelete: 'cascade' })
  articleId!: number;

  @Text({ about: 'Title that the article had.' })
  headline!: string;

  @Text({ about: 'Summary that the article had.' })
  summary!: string;

  @Text({ about: 'Body that the article had, as sanitised HTML.' })
  body!: string;

  @Text({ hidden: true })
  contentHash!: string;

  @Moment({ about: 'Time of that version: when it was published or last changed.' })
  publishedAt!: string;

  @Moment({ about: 'Time at which the next version replaced it.' })
  replacedAt!: string;
}
