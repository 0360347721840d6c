import type { ChartData } from '../dashboards/chart-data.ts';
import type { Dashboard, Section } from '../dashboards/dashboard.tsx';
import type { Column } from '../dashboards/data-table.tsx';
import { assertReadable, dayLabel, healthOwner, healthPeriods } from './health-periods.ts';

interface Vitals {
  readingCount: number;
  averageSystolic: number | null;
  averageDiastolic: number | null;
  averageHeartRate: number | null;
  averageOxygenSaturation: number | null;
  averageTemperatureC: number | null;
  averageBloodGlucose: number | null;
  latestWeightKg: number | null;
  stepCount: number;
}

interface Day {
  date: string;
  vitals: Vitals;
}

interface ReferenceRange {
  measure: string;
  unit: string;
  low: number | null;
  high: number | null;
  source: string;
  year: number;
}

export interface HealthVitalsBody {
  vitalReferenceRanges: readonly ReferenceRange[];
  dailySummaries: readonly Day[] | null;
}

type Measure = Exclude<keyof Vitals, 'readingCount'>;

/** A chart of measures with one unit. */
interface Group {
  name: string;
  heading: string;
  unit: string;
  measures: readonly { key: Measure; label: string; range?: string }[];
}

const groups: readonly Group[] = [
  {
    name: 'blood-pressure',
    heading: 'Blood pressure',
    unit: 'mmHg',
    measures: [
      { key: 'averageSystolic', label: 'Systolic', range: 'systolic_bp' },
      { key: 'averageDiastolic', label: 'Diastolic', range: 'diastolic_bp' },
    ],
  },
  {
    name: 'heart-rate',
    heading: 'Heart rate',
    unit: 'beats per minute',
    measures: [{ key: 'averageHeartRate', label: 'Heart rate', range: 'heart_rate' }],
  },
  {
    name: 'oxygen-saturation',
    heading: 'Oxygen saturation',
    unit: '%',
    measures: [{ key: 'averageOxygenSaturation', label: 'Oxygen saturation', range: 'oxygen_saturation' }],
  },
  {
    name: 'temperature',
    heading: 'Body temperature',
    unit: '°C',
    measures: [{ key: 'averageTemperatureC', label: 'Temperature', range: 'temperature' }],
  },
  {
    name: 'blood-glucose',
    heading: 'Blood glucose',
    unit: 'mg/dL',
    measures: [{ key: 'averageBloodGlucose', label: 'Blood glucose', range: 'blood_glucose' }],
  },
  { name: 'weight', heading: 'Weight', unit: 'kg', measures: [{ key: 'latestWeightKg', label: 'Weight' }] },
];

/** `/health/vitals`. @throws ProblemError `not-found` for guests */
export function healthVitals(
  { vitalReferenceRanges: ranges, dailySummaries: summaries }: HealthVitalsBody,
  query: URLSearchParams,
): Dashboard {
  assertReadable(summaries);
  const { days, periods } = healthPeriods(query);
  const readings = summaries.reduce((sum, { vitals }) => sum + vitals.readingCount, 0);
  return {
    title: 'Vital signs',
    owner: healthOwner,
    periods,
    summary: `${readings.toLocaleString('en')} readings. The ranges are typical for adults at rest and no diagnosis: ask a doctor what is good for you.`,
    sections: [
      ...groups.map(group => groupSection(group, summaries, ranges)).filter(({ table }) => table.rows.length > 0),
      stepSection(summaries),
      rangeSection(ranges),
    ],
    variables: { days },
  };
}

function groupSection(group: Group, summaries: readonly Day[], ranges: readonly ReferenceRange[]): Section {
  const { name, heading, unit, measures } = group;
  const days = summaries.filter(({ vitals }) => measures.some(({ key }) => vitals[key] !== null));
  const rangeOf = (measure: string | undefined): ReferenceRange | undefined =>
    ranges.find(one => one.measure === measure);
  const [range, ...others] = measures.map(one => rangeOf(one.range));
  const points = days.map(({ date, vitals }) => ({
    label: dayLabel(date),
    values: measures.map(({ key }) => vitals[key]),
  }));
  const limits = measures.flatMap(({ label, range }) => {
    const found = rangeOf(range);
    return found ? [`${label}: ${rangeText(found)} ${found.unit} is typical for adults.`] : [];
  });
  const chart: ChartData = {
    id: `${name}-chart`,
    title: `${heading} by day, ${unit}`,
    summary: [`${days.length} days with values.`, ...limits].join(' '),
    series: measures.map(({ label }) => label.toLowerCase()),
    points,
    shape: 'lines',
    // Two bands would cover each other.
    ...(range && others.length === 0 ? { band: { ...range, label: 'typical for adults' } } : {}),
  };
  const columns: Column[] = [
    { name: 'Day', type: 'text' },
    ...measures.flatMap(({ label, range }): Column[] => [
      { name: `${label}, ${unit}`, type: 'number' },
      ...(rangeOf(range) ? [{ name: `${label}, typical for adults`, type: 'text' } as const] : []),
    ]),
  ];
  return {
    heading,
    chart,
    table: {
      name,
      caption: `${heading} by day: ${measures.some(({ key }) => key === 'latestWeightKg') ? 'latest value' : 'mean'}`,
      columns,
      rows: days.map(({ date, vitals }) => [
        date,
        ...measures.flatMap(({ key, range }) => {
          const found = rangeOf(range);
          return found ? [vitals[key], placeIn(found, vitals[key])] : [vitals[key]];
        }),
      ]),
    },
  };
}

function placeIn({ low, high }: ReferenceRange, value: number | null): string | null {
  if (value === null) return null;
  if (low !== null && value < low) return 'below';
  return high !== null && value > high ? 'above' : 'within';
}

function rangeText({ low, high }: ReferenceRange): string {
  if (low === null) return `up to ${high}`;
  return high === null ? `from ${low}` : `${low} to ${high}`;
}

function stepSection(summaries: readonly Day[]): Section {
  const days = summaries.filter(({ vitals }) => vitals.stepCount > 0);
  return {
    heading: 'Steps',
    chart: {
      id: 'steps-chart',
      title: 'Steps by day',
      summary: `${days.length} days with steps.`,
      series: ['steps'],
      points: days.map(({ date, vitals }) => ({ label: dayLabel(date), values: [vitals.stepCount] })),
      shape: 'columns',
    },
    table: {
      name: 'steps',
      caption: 'Steps by day',
      columns: [
        { name: 'Day', type: 'text' },
        { name: 'Steps', type: 'number' },
      ],
      rows: days.map(({ date, vitals }) => [date, vitals.stepCount]),
    },
  };
}

function rangeSection(ranges: readonly ReferenceRange[]): Section {
  return {
    heading: 'Ranges that are typical for adults',
    table: {
      name: 'ranges',
      caption: 'Ranges that are typical for adults at rest, and who states them',
      columns: [
        { name: 'Vital sign', type: 'text' },
        { name: 'Range', type: 'text' },
        { name: 'Unit', type: 'text' },
        { name: 'Source', type: 'text' },
        { name: 'Year', type: 'text' },
      ],
      rows: ranges.map(one => [labelOf(one.measure), rangeText(one), one.unit, one.source, String(one.year)]),
    },
  };
}

const labelOf = (measure: string): string =>
  groups.flatMap(group => group.measures).find(one => one.range === measure)?.label ?? measure;
