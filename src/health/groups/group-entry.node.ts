import { numberedNode } from '../../context/node-kind.ts';
import { findGroupEntries } from './group-entries.queries.ts';

/** Requests and invitations of the caller, and those to groups of the caller. */
export const groupEntryNode = numberedNode({ type: 'GroupEntry', access: 'verified', load: findGroupEntries });
