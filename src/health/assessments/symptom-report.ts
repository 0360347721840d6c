import type { PersonFacts } from 'triage/knowledge/person-facts';
import type { ReportedTrend } from '../../../schema/health/assessment.ts';

/** Validated input of an assessment. */
export interface SymptomReport {
  subject: 'myself' | 'someone_else';
  symptoms: readonly string[];
  duration: string | null;
  hasOtherSymptoms: boolean | null;
  trend: ReportedTrend | null;
  allergies: string;
  /** 1 to 10 as rated by the person; null: derived by the engine. */
  severity: number | null;
  /** Free text that is matched for symptoms like the list. */
  notes: string;
  person: PersonFacts;
}
