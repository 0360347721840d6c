import { numberedNode } from '../../context/node-kind.ts';
import { vitals } from './vitals.queries.ts';

/** Vital readings of the caller. */
export const vitalReadingNode = numberedNode({
  type: 'VitalReading',
  access: 'verified',
  load: (context, ids, wanted) => vitals.findMany(context, ids, wanted),
});
