import type { ChildProcess } from 'node:child_process';

/** What the set-up of a run leaves to its tear-down; both run in the same process. */
export const running: { server?: ChildProcess } = {};
