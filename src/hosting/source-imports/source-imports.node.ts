import { numberedNode } from '../../context/node-kind.ts';
import { authorsByIds } from './source-imports.queries.ts';

/** Authors of imports whose repository the caller can push to. */
export const sourceImportAuthorNode = numberedNode({
  type: 'SourceImportAuthor',
  access: 'source-imports:read',
  load: (context, ids) => authorsByIds(context, ids),
});
