import { uuidNode } from '../../context/node-kind.ts';
import { ownAssessmentsByIds } from './assessments.queries.ts';

/** Assessments of the caller. */
export const assessmentNode = uuidNode({ type: 'Assessment', access: 'verified', load: ownAssessmentsByIds });
