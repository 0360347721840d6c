import type { Section } from './dashboard.tsx';
import { byTime, type TimeStep } from './time-steps.ts';

interface RuleCounts {
  startsAt: string;
  ruleType: string;
  passCount: number;
  failCount: number;
  bypassCount: number;
}

interface DeliveryCounts {
  startsAt: string;
  answer: string;
  deliveryCount: number;
  slowCount: number;
  averageDuration: number;
}

export interface HostingCounts {
  from: string;
  to: string;
  ruleResults: readonly RuleCounts[];
  webhookDeliveries: readonly DeliveryCounts[];
  sourceImports: readonly { status: string; importCount: number }[];
}

const wordsOf = (value: string): string => value.replaceAll('_', ' ');
const answers = ['success', 'client_error', 'server_error', 'no_response'];

/** Sections of rules, deliveries and imports of all repositories. */
export function hostingSections(
  { from, to, ruleResults, webhookDeliveries, sourceImports }: HostingCounts,
  step: TimeStep,
): Section[] {
  return [
    ruleSection(ruleResults),
    deliverySection(webhookDeliveries, { from, to, step }),
    importSection(sourceImports),
  ];
}

function ruleSection(results: readonly RuleCounts[]): Section {
  const byType = [...Map.groupBy(results, one => one.ruleType)].map(([type, days]) => ({
    label: wordsOf(type),
    values: [
      days.reduce((sum, one) => sum + one.passCount, 0),
      days.reduce((sum, one) => sum + one.failCount, 0),
      days.reduce((sum, one) => sum + one.bypassCount, 0),
    ],
  }));
  return {
    heading: 'Rules for pushes',
    chart: {
      id: 'rules-chart',
      title: 'Results by rule',
      summary: `${byType.length} types of rules.`,
      series: ['passed', 'failed', 'bypassed'],
      points: byType,
      shape: 'bars',
    },
    table: {
      name: 'rules',
      caption: 'Results of rules by day, UTC',
      columns: [
        { name: 'Day', type: 'text' },
        { name: 'Rule', type: 'text' },
        { name: 'Passed', type: 'number' },
        { name: 'Failed', type: 'number' },
        { name: 'Bypassed', type: 'number' },
      ],
      rows: results.map(one => [
        one.startsAt.slice(0, 10),
        wordsOf(one.ruleType),
        one.passCount,
        one.failCount,
        one.bypassCount,
      ]),
    },
  };
}

function deliverySection(
  deliveries: readonly DeliveryCounts[],
  range: { from: string; to: string; step: TimeStep },
): Section {
  const points = byTime(range, deliveries, one => one.startsAt).map(({ label, rows }) => ({
    label,
    values: answers.map(answer => rows.find(one => one.answer === answer)?.deliveryCount ?? 0),
  }));
  return {
    heading: 'Webhook deliveries',
    chart: {
      id: 'deliveries-chart',
      title: 'Webhook deliveries by answer',
      summary: `${points.length} ${range.step}s, in UTC.`,
      series: ['success', '4xx', '5xx', 'no response'],
      points,
      shape: 'columns',
    },
    table: {
      name: 'deliveries',
      caption: 'Webhook deliveries by time, UTC, and answer',
      columns: [
        { name: 'From', type: 'time' },
        { name: 'Answer', type: 'text' },
        { name: 'Deliveries', type: 'number' },
        { name: 'One second or longer', type: 'number' },
        { name: 'Average seconds', type: 'number' },
      ],
      rows: deliveries.map(one => [
        one.startsAt,
        wordsOf(one.answer),
        one.deliveryCount,
        one.slowCount,
        Math.round(one.averageDuration * 1_000) / 1_000,
      ]),
    },
  };
}

function importSection(imports: HostingCounts['sourceImports']): Section {
  return {
    heading: 'Source imports',
    chart: {
      id: 'imports-chart',
      title: 'Source imports by state',
      summary: `${imports.length} states.`,
      series: ['imports'],
      points: imports.map(one => ({ label: wordsOf(one.status), values: [one.importCount] })),
      shape: 'bars',
    },
    table: {
      name: 'imports',
      caption: 'Source imports that began in the period, by state',
      columns: [
        { name: 'State', type: 'text' },
        { name: 'Imports', type: 'number' },
      ],
      rows: imports.map(one => [wordsOf(one.status), one.importCount]),
    },
  };
}
