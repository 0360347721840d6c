import { test } from '@jest/globals';
import { findFailure } from './complexity.ts';
import { fuzzTargets } from './fuzz-targets.ts';
import { slowestCase } from './time-fuzzer.ts';

test.each(fuzzTargets.map(target => [target.name, target] as const))('%s', async (_, target) => {
  const found = await slowestCase(target);
  const failure = await findFailure(found);
  if (failure !== undefined) throw new Error(`${found.name}: ${failure}`);
});
