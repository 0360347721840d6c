import { ProblemError } from 'operation-rest';
import type { Period } from '../dashboards/dashboard.tsx';

/** The page that all dashboards of a person are below. */
export const healthOwner = { name: 'Your health', path: '/health' } as const;

const lengths = [7, 30, 90];

/** The periods to choose from; 30 days unless the query says another number. */
export function healthPeriods(query: URLSearchParams): { days: number; periods: Period[] } {
  const sent = Number(query.get('days') ?? 30);
  const days = Number.isInteger(sent) && sent >= 1 && sent <= 90 ? sent : 30;
  return {
    days,
    periods: lengths.map(one => ({ label: `${one} days`, query: `days=${one}`, isShown: one === days })),
  };
}

/** @throws ProblemError `not-found` where the person may not read it, such as a guest */
export function assertReadable<Value>(value: Value | null): asserts value is Value {
  if (value === null) throw new ProblemError({ kind: 'not-found', reason: 'absent' });
}

/** `2026-09-30` as the label below a column. */
export const dayLabel = (date: string): string => date.slice(5);
