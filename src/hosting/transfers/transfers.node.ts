import { numberedNode } from '../../context/node-kind.ts';
import { transfersByIds } from './transfers.queries.ts';

/** Its access scope is `public`, because receivers and administrators see offers: the query checks the caller. */
export const transferNode = numberedNode({ type: 'RepositoryTransfer', access: 'public', load: transfersByIds });
