import { type NodeKind, numberedNode } from '../../context/node-kind.ts';
import { findModerationEvents, findReports } from './moderation.queries.ts';

export const moderationNodes: readonly NodeKind[] = [
  numberedNode({ type: 'Report', access: 'moderator', load: findReports }),
  numberedNode({ type: 'ModerationEvent', access: 'moderator', load: findModerationEvents }),
];
