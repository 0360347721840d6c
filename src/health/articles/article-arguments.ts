import { ArgsType } from 'type-graphql';
import { ArticleOrder, BookmarkOrder } from '../../../schema/health/article.ts';
import { PublisherCode } from '../../../schema/health/publisher.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { asOfField, orderByField } from '../lists/argument-fields.ts';

/** The `search` argument of a list of articles. */
export const articleSearchField = (): PropertyDecorator =>
  optionalField(
    () => String,
    'Words or "quoted phrases", at most 20. All match, or most of the words if no article has all.',
  );

/** Arguments of the articles of a category. */
@ArgsType()
export class CategorizedArticlesArgs extends ConnectionArgs {
  @optionalField(() => PublisherCode, 'Publisher of the articles.') source?: string | null;
  @articleSearchField() search?: string | null;
  @optionalField(() => [ArticleOrder], 'Sort keys, the first decides; the newest first by default.') orderBy?:
    | string[]
    | null;
}

/** Arguments of `articles`. */
@ArgsType()
export class ArticlesArgs extends CategorizedArticlesArgs {
  @optionalField(() => String, 'Slug of a category of the articles.') category?: string | null;
  @asOfField() asOf?: string | null;
}

/** Arguments of the bookmarked articles of a person. */
@ArgsType()
export class BookmarksArgs extends ConnectionArgs {
  @articleSearchField() search?: string | null;
  @orderByField(() => BookmarkOrder, 'newest bookmark first') orderBy?: string[] | null;
  @asOfField() asOf?: string | null;
}
