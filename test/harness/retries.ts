import { jest } from '@jest/globals';

/**
 * How often a failed test runs again, 0 by default. `.ci/run` sets 1 and lists the tests that needed it: load of the machine only
 * lengthens what a test measures, so that a defect fails both times.
 */
// biome-ignore lint/style/noProcessEnv: a setting of the test run, not of the product.
const retries = Number(process.env.TEST_RETRIES ?? 0);
if (retries > 0) jest.retryTimes(retries, { logErrorsBeforeRetry: true });
