import { numberedNode } from '../../context/node-kind.ts';
import { hooksByIds } from './hooks.queries.ts';

/** Its access scope is `public`, because two scopes are for hooks: the query checks the caller. */
export const hookNode = numberedNode({ type: 'Hook', access: 'public', load: hooksByIds });
