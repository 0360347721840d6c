import { numberedNode } from '../../context/node-kind.ts';
import { commentsByIds } from './comments.queries.ts';

/** Comments that the caller sees: those of people whom they have not blocked, and who have not blocked them. */
export const commentNode = numberedNode({ type: 'ArticleComment', access: 'account', load: commentsByIds });
