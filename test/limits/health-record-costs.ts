import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import type { FieldCase } from './field-cost-table.ts';

const noUuid = '00000000-0000-4000-8000-000000000000';

/** At least one case for each field of a person that is a list, a look-up or a report of health records. */
export function healthRecordCases(): FieldCase[] {
  const viewer = (field: string, selection: string, units: number): FieldCase => ({
    field: `Person.${/^\w+/.exec(field)?.[0]}`,
    as: 'reader',
    document: `{ healthViewer { ${field} ${selection} } }`,
    units,
  });
  const period =
    '{ assessments { totalCount } symptoms { reportCount } vitals { readingCount } goals { activeCount } }';
  return [
    viewer('goals(first: 100)', '{ nodes { id progressPercent } totalCount }', 2),
    viewer(`goal(id: "${encodeGlobalId('HealthGoal', 1)}")`, '{ description progressPercent }', 2),
    viewer('symptomLogs(first: 100, search: "head")', '{ nodes { id symptomName } totalCount }', 2),
    viewer(`symptomLog(id: "${encodeGlobalId('SymptomLog', 1)}")`, '{ symptomName }', 2),
    viewer('vitalReadings(first: 100)', '{ nodes { id systolicBp } totalCount }', 2),
    viewer(`vitalReading(id: "${encodeGlobalId('VitalReading', 1)}")`, '{ systolicBp }', 2),
    viewer('assessments(first: 100, search: "head")', '{ nodes { id symptoms result { triageLevel } } totalCount }', 2),
    viewer(`assessment(id: "${encodeGlobalId('Assessment', noUuid)}")`, '{ symptoms }', 2),
    viewer('dashboard', `{ last7Days ${period} last30Days ${period} }`, 6),
    viewer('weeklySummaries(first: 100)', '{ nodes { week vitals { readingCount } } totalCount }', 21),
    viewer('dailySummaries(days: 90)', '{ date vitals { readingCount } }', 21),
    viewer('latestSummary', '{ week vitals { readingCount } }', 4),
  ];
}
