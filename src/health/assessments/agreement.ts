import { type Level, type Urgency, urgencies } from 'triage/knowledge/knowledge-schema';
import type { ReportedTrend } from '../../../schema/health/assessment.ts';

/** The least severity that agrees with a level, and the one that is derived where the person rated none. */
const severities: Record<Level, { least: number; derived: number }> = {
  emergency: { least: 8, derived: 9 },
  urgent: { least: 5, derived: 7 },
  routine: { least: 3, derived: 4 },
  self_care: { least: 1, derived: 2 },
};

const urgencyOfLevel: Record<Level, Urgency> = {
  emergency: 'high',
  urgent: 'high',
  routine: 'medium',
  self_care: 'low',
};

/** The parts of a result that speak of urgency. */
export interface Agreed<Cause> {
  severity: number;
  urgency: Urgency;
  causes: Cause[];
}

/**
 * Makes all parts of a result agree with the triage level, which is decided first and never changed here:
 * - the urgency of the assessment is that of the level;
 * - no cause is more urgent than the level, and the first one is exactly as urgent;
 * - the severity is not below the level: a rating of 1 beside an emergency is raised to 8. A rating above it stays as it was given.
 */
export function agree<Cause extends { urgency: Urgency }>(
  level: Level,
  causes: readonly Cause[],
  rating: number | null,
  trend: ReportedTrend | null,
): Agreed<Cause> {
  const urgency = urgencyOfLevel[level];
  const { least, derived } = severities[level];
  const change = trend === 'getting worse' ? 1 : trend === 'getting better' ? -1 : 0;
  return {
    urgency,
    severity: Math.max(least, rating ?? derived + change),
    causes: causes.map((cause, index) => ({
      ...cause,
      urgency: index === 0 || urgencies.indexOf(cause.urgency) > urgencies.indexOf(urgency) ? urgency : cause.urgency,
    })),
  };
}
