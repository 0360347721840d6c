import { expect, test } from '@jest/globals';
import { findPassages } from '../../../src/health/companion/retrieval/find-passages.ts';
import { testGateway } from '../../harness/gateway.ts';

const gateway = await testGateway({ data: 'demo' });
const context = { read: gateway.database.read, now: () => new Date(), origin: 'http://localhost' };

test.each(['can I take melatonin with my antidepressant', 'how long may I keep ringworm cream in the fridge'])(
  'a thing that no article mentions is not answered by a description beside it: %s',
  async question => expect(await findPassages(context, question)).toEqual([]),
);

test('a thing beside a named subject does not hide its article', async () => {
  const [first] = await findPassages(
    context,
    'rolled my ankle at football, its puffy but i can walk on it. ice or heat?',
  );
  expect(first?.headline).toMatch(/sprain/i);
});
