import { numberedNode } from '../../context/node-kind.ts';
import { goals } from './goals.queries.ts';

/** Goals of the caller. */
export const goalNode = numberedNode({
  type: 'HealthGoal',
  access: 'verified',
  load: (context, ids, wanted) => goals.findMany(context, ids, wanted),
});
