import { secondaryLimits } from './request-limit-tables.ts';

/** Entry points of the gateway. Each has its own error response for a refused request: see `docs/limits.md`. */
export type EntryPoint = 'rest' | 'health' | 'events' | 'graphql' | 'websocket' | 'raw' | 'codeload' | 'git' | 'pages';

interface EntryPointLimits {
  /** Concurrent requests of one caller. Entry points with the same key share their slots. */
  slots: { key: string; limit: number };
  /** Points of one caller per minute; at `rest` for each endpoint separately. */
  points?: { limit: number; seconds: number };
  /**
   * While a request is charged a share of the CPU time of the process (`CpuShares`). A download to a slow client, or a response that
   * waits for a language model, uses almost none and would be charged for the work of others. `until-headers`: until the response
   * begins. `while-working`: its handler says when it waits for its client (`AdmittedRequest.wait`).
   */
  sharesCpu: 'always' | 'until-headers' | 'while-working';
}

const sharedSlots = { key: 'slots', limit: secondaryLimits.concurrent.limit };

/** Limits that differ by entry point. The entry point itself selects the primary window of a request. */
export const entryPoints: Readonly<Record<EntryPoint, EntryPointLimits>> = {
  rest: { slots: sharedSlots, points: secondaryLimits.endpointPoints, sharesCpu: 'always' },
  // The health contract publishes only the limit per minute, and all 600 requests of a person may arrive at once.
  health: { slots: { key: 'slots/health', limit: 600 }, sharesCpu: 'always' },
  // Server-sent events of the health API: as many as the companion answers in a minute.
  events: { slots: { key: 'slots/events', limit: 20 }, sharesCpu: 'until-headers' },
  graphql: { slots: sharedSlots, points: secondaryLimits.graphqlPoints, sharesCpu: 'always' },
  // Held while a subscription starts, not for its lifetime.
  websocket: {
    slots: { key: 'slots/websocket', limit: 20 },
    points: secondaryLimits.graphqlPoints,
    sharesCpu: 'always',
  },
  // Browsers open six connections per host, and programs download the files of a directory in parallel.
  raw: { slots: { key: 'slots/raw', limit: 10 }, points: secondaryLimits.endpointPoints, sharesCpu: 'until-headers' },
  // One archive uses a full thread.
  codeload: { slots: { key: 'slots/codeload', limit: 2 }, points: secondaryLimits.endpointPoints, sharesCpu: 'always' },
  // A matrix of builds clones as often as it has jobs; packs have slots of their own, for which requests wait. Packs are made by other
  // processes, whose CPU time is charged as well.
  git: {
    slots: { key: 'slots/git', limit: secondaryLimits.concurrent.limit },
    points: secondaryLimits.endpointPoints,
    sharesCpu: 'while-working',
  },
  // A page that lists people loads fifty pictures at once.
  pages: { slots: { key: 'slots/pages', limit: 60 }, sharesCpu: 'always' },
};
