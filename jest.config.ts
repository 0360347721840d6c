import type { Config } from 'jest';

/** Names of system tests, which `npm run test:system` runs: they kill processes, start processes of their own, need much data, or try random input. */
export const systemTests = '*.{crash,process,scale,fuzz}.test.ts';

/** Names of tests that measure CPU time and delays of the event loop, which `npm run test:timed` runs one after the other. */
export const timedTests = '*.{complexity,delay}.test.ts';

/** Names of tests of several gateways with the servers around them, which `npm run test:topology` runs. */
export const topologyTests = '*.topology.test.ts';

/** A file that the command names runs, whichever of the commands it is. */
const namesFile = process.argv.slice(2).some(argument => argument.endsWith('.test.ts'));

const config: Config = {
  testEnvironment: '<rootDir>/test/harness/jest-environment.ts',
  testEnvironmentOptions: { customExportConditions: ['operation-rest-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '/(src|schema|rest-facade|seeds)/.*\\.tsx?$': '<rootDir>/test/harness/jest-transformer.ts',
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
  testMatch: [
    '<rootDir>/test/**/*.test.ts',
    ...(namesFile ? [] : [systemTests, timedTests, topologyTests].map(names => `!**/${names}`)),
  ],
  // Only a test that hangs takes as long.
  testTimeout: 60_000,
  maxWorkers: '100%',
  // Modules of a file stay in memory after it. Above this size a new worker is faster: it forks and collects garbage sooner.
  workerIdleMemoryLimit: '800MB',
  // The entity classes need the metadata API, whichever module of a test file is the first.
  setupFiles: ['reflect-metadata', '<rootDir>/test/harness/random-seed.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/harness/retries.ts'],
  globalSetup: '<rootDir>/test/harness/global-setup.ts',
  globalTeardown: '<rootDir>/test/harness/global-teardown.ts',
};

export default config;
