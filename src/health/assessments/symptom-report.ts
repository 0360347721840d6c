export type Trend = 'getting worse' | 'getting better' | 'no change';

/** What somebody told, checked and cleaned. */
export interface SymptomReport {
  subject: 'myself' | 'someone_else';
  symptoms: readonly string[];
  duration: string | null;
  hasOtherSymptoms: boolean | null;
  trend: Trend | null;
  allergies: string;
  /** 1 to 10 as somebody rates it; null for what the engine makes of it. */
  severity: number | null;
  /** Read for symptoms like the list itself, so that what is told in passing is not passed over. */
  notes: string;
}
