import { type NodeKind, numberedNode } from '../../context/node-kind.ts';
import { findCommunityGroups } from './community.queries.ts';
import { findPeerLinks } from './peers.queries.ts';

export const communityNodes: readonly NodeKind[] = [
  numberedNode({ type: 'CommunityGroup', access: 'verified', load: findCommunityGroups }),
  numberedNode({ type: 'PeerLink', access: 'verified', load: findPeerLinks }),
];
