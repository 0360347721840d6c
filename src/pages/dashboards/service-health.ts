import type { Section } from './dashboard.tsx';
import { byTime } from './time-steps.ts';

interface Dated {
  day: string;
}

export interface HealthCounts {
  from: string;
  countedUntil: string | null;
  articleViews: readonly (Dated & { categorySlug: string; viewCount: number })[];
  registrations: readonly (Dated & { accountCount: number })[];
  companionAnswers: readonly (Dated & { level: string; answerCount: number })[];
  assessments: readonly (Dated & { triageLevel: string; assessmentCount: number })[];
}

/** Bars of a chart; the table below it has all rows. */
const maxBars = 12;

const wordsOf = (value: string): string => value.replaceAll('_', ' ');

/** Sections of the counts of the health product. */
export function healthSections(counts: HealthCounts): Section[] {
  const { articleViews, registrations, companionAnswers, assessments } = counts;
  return [
    viewSection(articleViews),
    daySection(counts, {
      name: 'registrations',
      title: 'Registrations',
      series: [{ key: '', name: 'accounts' }],
      rows: registrations.map(one => ({ day: one.day, key: '', count: one.accountCount })),
    }),
    daySection(counts, {
      name: 'companion',
      title: 'Answers of the companion',
      what: 'Level',
      series: ['none', 'urgent', 'crisis'].map(key => ({ key, name: key })),
      rows: companionAnswers.map(one => ({ day: one.day, key: one.level, count: one.answerCount })),
    }),
    daySection(counts, {
      name: 'assessments',
      title: 'Assessments',
      what: 'Urgency',
      series: ['self_care', 'routine', 'urgent', 'emergency'].map(key => ({ key, name: wordsOf(key) })),
      rows: assessments.map(one => ({ day: one.day, key: one.triageLevel, count: one.assessmentCount })),
    }),
  ];
}

function viewSection(views: HealthCounts['articleViews']): Section {
  const byCategory = [...Map.groupBy(views, one => one.categorySlug)]
    .map(([label, days]) => ({ label, values: [days.reduce((sum, one) => sum + one.viewCount, 0)] }))
    .sort((a, b) => (b.values[0] ?? 0) - (a.values[0] ?? 0));
  return {
    heading: 'Articles read',
    chart: {
      id: 'views-chart',
      title: 'Articles read by category',
      summary: `${byCategory.length} categories with days of ten views or more.`,
      series: ['views'],
      points: byCategory.slice(0, maxBars),
      shape: 'bars',
    },
    table: {
      name: 'views',
      caption: 'Articles read by day, UTC, and category',
      columns: [
        { name: 'Day', type: 'text' },
        { name: 'Category', type: 'text' },
        { name: 'Views', type: 'number' },
      ],
      rows: views.map(one => [one.day, one.categorySlug, one.viewCount]),
    },
  };
}

interface DayCounts {
  name: string;
  title: string;
  /** Column of the keys; absent where there is one series. */
  what?: string;
  series: readonly { key: string; name: string }[];
  rows: readonly { day: string; key: string; count: number }[];
}

function daySection(
  { from, countedUntil }: Pick<HealthCounts, 'from' | 'countedUntil'>,
  { name, title, what, series, rows }: DayCounts,
): Section {
  const to = countedUntil === null ? from : `${countedUntil}T24:00:00Z`;
  const points = byTime({ from, to, step: 'day' }, rows, one => one.day).map(({ label, rows: counts }) => ({
    label,
    values: series.map(({ key }) => counts.find(one => one.key === key)?.count ?? 0),
  }));
  return {
    heading: title,
    chart: {
      id: `${name}-chart`,
      title: what ? `${title} by day and ${what.toLowerCase()}` : `${title} by day`,
      summary: `${points.length} days; those without a column have fewer than ten people.`,
      series: series.map(one => one.name),
      points,
      shape: 'columns',
    },
    table: {
      name,
      caption: `${title} by day, UTC`,
      columns: [
        { name: 'Day', type: 'text' },
        ...(what ? [{ name: what, type: 'text' } as const] : []),
        { name: 'Number', type: 'number' },
      ],
      rows: rows.map(one => [one.day, ...(what ? [wordsOf(one.key)] : []), one.count]),
    },
  };
}
