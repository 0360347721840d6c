import base, { topologyTests } from './jest.config.ts';

// One after the other: each of them starts a dozen processes.
export default { ...base, testMatch: [`<rootDir>/test/**/${topologyTests}`], maxWorkers: 1 };
