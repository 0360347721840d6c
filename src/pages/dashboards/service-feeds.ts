import type { Section } from './dashboard.tsx';

/** Subscriptions to feeds with their last runs. */
export type FeedStates = readonly {
  number: number;
  url: string;
  source: string;
  intervalSeconds: number;
  failureCount: number;
  dueAt: string;
  succeededAt: string | null;
  runs: readonly {
    startedAt: string;
    outcome: string;
    httpStatus: number | null;
    problem: string | null;
    addedCount: number;
    updatedCount: number;
    unchangedCount: number;
    olderCount: number;
    rejectedCount: number;
  }[];
}[];

/** Sections of the feeds, those that fail first. */
export function feedSections(feeds: FeedStates): Section[] {
  const listed = feeds.toSorted((one, other) => other.failureCount - one.failureCount || one.number - other.number);
  const runs = listed
    .flatMap(({ number, url, runs: own }) => own.map(run => ({ number, url, ...run })))
    .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  return [
    {
      heading: 'Subscriptions',
      table: {
        name: 'subscriptions',
        caption: 'Subscriptions to feeds, those that fail first',
        columns: [
          { name: 'Number', type: 'number' },
          { name: 'Feed', type: 'text' },
          { name: 'Publisher', type: 'text' },
          { name: 'Hours between runs', type: 'number' },
          { name: 'Failures in a row', type: 'number' },
          { name: 'Last success', type: 'time' },
          { name: 'Next run', type: 'time' },
        ],
        rows: listed.map(one => [
          one.number,
          one.url,
          one.source.toLowerCase(),
          one.intervalSeconds / 3_600,
          one.failureCount,
          one.succeededAt,
          one.dueAt,
        ]),
        isOpen: true,
      },
    },
    {
      heading: 'Last runs',
      table: {
        name: 'runs',
        caption: 'The last ten runs of each subscription, the newest first',
        columns: [
          { name: 'Started', type: 'time' },
          { name: 'Number', type: 'number' },
          { name: 'Feed', type: 'text' },
          { name: 'Outcome', type: 'text' },
          { name: 'HTTP status', type: 'number' },
          { name: 'Added', type: 'number' },
          { name: 'Updated', type: 'number' },
          { name: 'Unchanged', type: 'number' },
          { name: 'Older', type: 'number' },
          { name: 'Rejected', type: 'number' },
          { name: 'Problem', type: 'text' },
        ],
        rows: runs.map(run => [
          run.startedAt,
          run.number,
          run.url,
          run.outcome.toLowerCase(),
          run.httpStatus,
          run.addedCount,
          run.updatedCount,
          run.unchangedCount,
          run.olderCount,
          run.rejectedCount,
          run.problem,
        ]),
      },
    },
  ];
}
