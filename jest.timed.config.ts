import base, { timedTests } from './jest.config.ts';

// One after the other: a second worker on the same cores lengthens what they measure.
export default { ...base, testMatch: [`<rootDir>/test/**/${timedTests}`], maxWorkers: 1 };
