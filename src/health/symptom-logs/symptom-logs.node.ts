import { numberedNode } from '../../context/node-kind.ts';
import { symptomLogs } from './symptom-logs.queries.ts';

/** Symptom logs of the caller. */
export const symptomLogNode = numberedNode({
  type: 'SymptomLog',
  access: 'verified',
  load: (context, ids, wanted) => symptomLogs.findMany(context, ids, wanted),
});
