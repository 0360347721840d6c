import type { EmbeddedServer } from '../../src/db/embedded.ts';

/** What the set-up of a run hands to its tear-down; both live in Jest's own process. */
export const running: { server?: EmbeddedServer; folder?: string } = {};
