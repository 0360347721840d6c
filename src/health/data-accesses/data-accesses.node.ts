import { numberedNode } from '../../context/node-kind.ts';
import { findDataAccesses } from './data-accesses.queries.ts';

/** Reads of the data of the caller. */
export const dataAccessNode = numberedNode({ type: 'DataAccess', access: 'account', load: findDataAccesses });
