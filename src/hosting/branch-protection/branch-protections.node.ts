import { numberedNode } from '../../context/node-kind.ts';
import { protectionsByIds } from './branch-protections.queries.ts';

/** Its access scope is `metadata:read`: the query checks that the caller administers the repository. */
export const branchProtectionNode = numberedNode({
  type: 'BranchProtectionRule',
  access: 'metadata:read',
  hasIntegerId: true,
  load: protectionsByIds,
});
