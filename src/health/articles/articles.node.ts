import { numberedNode } from '../../context/node-kind.ts';
import { articlesByIds } from './articles.queries.ts';
import { categoriesByIds } from './categories.queries.ts';

/** Published articles. */
export const articleNode = numberedNode({ type: 'Article', access: 'public', load: articlesByIds });

export const categoryNode = numberedNode({ type: 'Category', access: 'public', load: categoriesByIds });
