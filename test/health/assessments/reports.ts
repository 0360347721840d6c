import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { levels } from 'triage/knowledge/knowledge-schema';
import { unknownPerson } from 'triage/knowledge/person-facts';
import type { ReportedTrend } from '../../../schema/health/assessment.ts';
import type { SymptomReport } from '../../../src/health/assessments/symptom-report.ts';

/** A case with the level required by the cited public guidance. `lookalike`: must raise no red flag. */
interface Case {
  level: (typeof levels)[number];
  symptoms: string[];
  subject?: 'someone_else';
  duration?: string;
  trend?: ReportedTrend;
  crisis?: true;
  lookalike?: true;
  guidance: string;
}
export const cases = JSON.parse(readFileSync(join(import.meta.dirname, 'triage-cases.json'), 'utf8')) as Case[];

/** The report of a case, or of symptoms alone; all else is unknown. */
export const reportOf = (symptoms: string[], more: Partial<SymptomReport> = {}): SymptomReport => ({
  subject: 'myself',
  symptoms,
  duration: null,
  hasOtherSymptoms: null,
  trend: null,
  allergies: '',
  severity: null,
  notes: '',
  person: unknownPerson,
  ...more,
});

export const rankOf = (level: (typeof levels)[number]): number => levels.indexOf(level);
