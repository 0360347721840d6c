import type { ChildProcess } from 'node:child_process';

/** State that the global setup leaves for the global teardown; both run in the same process. */
export const running: { server?: ChildProcess } = {};
