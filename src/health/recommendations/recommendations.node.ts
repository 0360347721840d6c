import { numberedNode } from '../../context/node-kind.ts';
import { recommendationsByIds } from './recommendations.queries.ts';

/** Recommendations to the caller, dismissed ones too. */
export const recommendationNode = numberedNode({
  type: 'Recommendation',
  access: 'verified',
  load: recommendationsByIds,
});
