import { numberedNode } from '../../context/node-kind.ts';
import { credentialsByIds } from './credentials.queries.ts';

/** Tokens that the caller manages. */
export const tokenNode = numberedNode({
  type: 'Token',
  access: 'tokens:write',
  load: (context, ids) => credentialsByIds(context, ids),
});
