import { numberedNode } from '../../context/node-kind.ts';
import { revisionsByIds } from './article-revisions.queries.ts';
import { articlesByIds } from './articles.queries.ts';
import { categoriesByIds } from './categories.queries.ts';

/** Published articles. */
export const articleNode = numberedNode({ type: 'Article', access: 'public', load: articlesByIds });

/** Earlier versions of published articles. */
export const articleRevisionNode = numberedNode({
  type: 'ArticleRevision',
  access: 'public',
  load: revisionsByIds,
});

export const categoryNode = numberedNode({ type: 'Category', access: 'public', load: categoriesByIds });
