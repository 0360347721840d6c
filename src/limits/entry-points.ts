import { secondaryLimits } from './request-limit-tables.ts';

/** Where requests come in. Each has its own refusal: see `docs/limits.md`. */
export type EntryPoint = 'rest' | 'health' | 'events' | 'graphql' | 'websocket' | 'raw' | 'codeload' | 'pages';

interface EntryPointLimits {
  /** Requests of one caller at the same time. Entry points with the same key share them. */
  slots: { key: string; limit: number };
  /** Points of one caller in a minute; of `rest`, of each endpoint. */
  points?: { limit: number; seconds: number };
  /**
   * Whether a request has a share of the CPU that the process uses while it is there (`CpuShares`). A download that waits for
   * a slow client, or an answer that waits for a language model, uses none and would be charged for everybody else.
   */
  sharesCpu: boolean;
}

const sharedSlots = { key: 'slots', limit: secondaryLimits.concurrent.limit };

/** What is different from one entry point to another. The primary window of a request is chosen where it comes in. */
export const entryPoints: Readonly<Record<EntryPoint, EntryPointLimits>> = {
  rest: { slots: sharedSlots, points: secondaryLimits.endpointPoints, sharesCpu: true },
  // Its contract knows no limit but the minute's: 600 requests of a person may come at once. Slots bound what lasts longer.
  health: { slots: { key: 'slots/health', limit: 600 }, sharesCpu: true },
  // Of the health API, sent as events while it is made: as many as the companion answers in a minute.
  events: { slots: { key: 'slots/events', limit: 20 }, sharesCpu: false },
  graphql: { slots: sharedSlots, points: secondaryLimits.graphqlPoints, sharesCpu: true },
  // The start of a subscription, not its life.
  websocket: { slots: { key: 'slots/websocket', limit: 20 }, points: secondaryLimits.graphqlPoints, sharesCpu: true },
  // Browsers open six connections to a host, and programs fetch the files of a directory beside each other.
  raw: { slots: { key: 'slots/raw', limit: 10 }, points: secondaryLimits.endpointPoints, sharesCpu: false },
  // One archive keeps a thread busy.
  codeload: { slots: { key: 'slots/codeload', limit: 2 }, points: secondaryLimits.endpointPoints, sharesCpu: true },
  // A page of people shows fifty pictures at once.
  pages: { slots: { key: 'slots/pages', limit: 60 }, sharesCpu: true },
};
