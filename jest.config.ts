import type { Config } from 'jest';

const config: Config = {
  testEnvironment: '<rootDir>/test/harness/jest-environment.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '/(src|schema|rest-facade|seeds)/.*\\.ts$': '<rootDir>/test/harness/jest-transformer.ts',
    '/node_modules/': '<rootDir>/test/harness/jest-transformer.ts',
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
  // Jest's own packages belong to its realm; openpgp takes no array of another realm.
  transformIgnorePatterns: ['/node_modules/(@jest/|jest-|@sinclair/|expect/|pretty-format/|openpgp/)'],
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
