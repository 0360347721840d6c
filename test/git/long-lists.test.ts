import { expect, test } from '@jest/globals';
import { DiffBudget } from '../../src/git/line-diff.ts';
import { mergeLines } from '../../src/git/merge-lines.ts';
import { outcomeOf } from '../../src/git-http/push-outcome.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';

/** More arguments than a call takes on the default stack of V8, some 120,000. */
const many = 150_000;

test('a change of many lines is merged', async () => {
  const ours = `${'new\n'.repeat(many)}end\n`;
  expect(await mergeLines('end\n', ours, 'end\n', new DiffBudget(WorkBudget.unlimited()))).toBe(ours);
});

test('many lines of one push are reported', () => {
  const violations = Array.from({ length: many }, (_, at) => ({ ref: `refs/heads/${at}`, message: 'no' }));
  const rejected = [{ ref: 'refs/heads/0', reason: 'rules' as const, violations }];
  const outcome = outcomeOf({ kind: 'pushed', changes: [], rejected }, [], { mayChangeWorkflows: true });
  expect(outcome.lines).toHaveLength(2 * many + 1);
  expect(outcome.refusals.size).toBe(many);
});
