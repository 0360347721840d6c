import base, { systemTests } from './jest.config.ts';

export default { ...base, testMatch: [`<rootDir>/test/**/${systemTests}`] };
