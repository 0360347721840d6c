import { expect, test } from '@jest/globals';
import { outcomeOf } from '../../src/git-http/push-outcome.ts';

/** More arguments than a call takes on the default stack of V8, some 120,000. */
const many = 150_000;

test('many lines of one push are reported', () => {
  const violations = Array.from({ length: many }, (_, at) => ({ ref: `refs/heads/${at}`, message: 'no' }));
  const rejected = [{ ref: 'refs/heads/0', reason: 'rules' as const, violations }];
  const outcome = outcomeOf({ kind: 'pushed', changes: [], rejected }, [], { mayChangeWorkflows: true });
  expect(outcome.lines).toHaveLength(2 * many + 1);
  expect(outcome.refusals.size).toBe(many);
});
