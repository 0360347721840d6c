import type { Config } from 'jest';

const config: Config = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: false, useDefineForClassFields: false },
          target: 'es2024',
        },
        module: { type: 'nodenext' },
      },
    ],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Generous: nothing waits for it but a test that hangs.
  testTimeout: 60_000,
  maxWorkers: '100%',
  globalSetup: '<rootDir>/test/harness/global-setup.ts',
  globalTeardown: '<rootDir>/test/harness/global-teardown.ts',
};

export default config;
