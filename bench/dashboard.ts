import assert from 'node:assert/strict';
import type { Benchmark } from './benchmark.ts';
import { asReader } from './reader.ts';

const path = '/api/v1/health/dashboard/';

const headers = await asReader();

const isDashboard = (answer: unknown): void => {
  const { active_goals, last_30_days, latest_summary } = answer as {
    active_goals: unknown[];
    last_30_days: { days_logged: number; vitals: { readings: number } };
    latest_summary: unknown;
  };
  assert.ok(active_goals.length > 2);
  assert.ok(last_30_days.days_logged > 25);
  assert.ok(last_30_days.vitals.readings > 50);
  assert.ok(latest_summary);
};

/** The dashboard of a person with a month of notes, among many others. */
export const dashboard: Benchmark = {
  name: 'dashboard',
  about: `GET ${path}: two periods, a week, goals and symptoms of one person; a session check and what is read after it`,
  rounds: 5,
  seconds: 3,
  contenders: [
    { label: 'facade', server: 'gateway', request: { path, headers }, hasTimestamps: true, check: isDashboard },
    {
      label: 'hand-written',
      server: 'hand-written-dashboard',
      request: { path, headers },
      hasTimestamps: true,
      check: isDashboard,
    },
  ],
  comparisons: [{ figure: 'cpu', of: 'facade', over: 'hand-written', bar: 1.2 }],
  same: {
    one: 'facade',
    other: 'hand-written',
    paths: [path],
    headers,
    varying: /"(generated_at|from|to)":"[^"]*T[^"]*"/g,
  },
};
