import { afterAll, describe, test } from '@jest/globals';
import { healthSections } from './statements/health.ts';
import { healthAccounts } from './statements/health-accounts.ts';
import { healthEndpoints } from './statements/health-endpoints.ts';
import { healthServer } from './statements/health-world.ts';
import { hostingSections } from './statements/hosting.ts';
import { hostingServer } from './statements/hosting-world.ts';
import type { Section } from './statements/statement.ts';

/**
 * What the two published documents say, sentence by sentence, asked of a running server. Every sentence is `exact`, or its test fails;
 * the last lines of the output say so for each.
 */
const health = await healthServer();
const hosting = await hostingServer();
const sections: Section[] = [
  ...healthSections(health),
  healthEndpoints(health),
  ...healthAccounts(health),
  ...hostingSections(hosting),
];

const exact: string[] = [];

describe.each(sections)('$document, $title', ({ document, title, statements }) => {
  test.each(statements)('%s', async (sentence, check) => {
    await check();
    exact.push(`exact  ${document} ${title.replace(/\..*/, '')}  ${sentence}`);
  });
});

afterAll(() => {
  process.stdout.write(`${exact.join('\n')}\n`);
});
