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
  // Modules of a file stay in memory after it. A large process takes long to start programs from, and to collect garbage in.
  workerIdleMemoryLimit: '800MB',
  globalSetup: '<rootDir>/test/harness/global-setup.ts',
  globalTeardown: '<rootDir>/test/harness/global-teardown.ts',
};

export default config;
