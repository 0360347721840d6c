import { type ExecutionResult, GraphQLError, locatedError } from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import { TurnQueue } from '../event-loop-turn.ts';
import { CollectedErrors } from './collected-errors.ts';
import type { FieldPlan, Run } from './execution-plan.ts';
import { type Execution, execute, type OperationPlan } from './operation-plan.ts';

/**
 * Opens the events of a subscription and executes the operation for each. A request whose events cannot be opened has one result with
 * errors. `return` of the iterator ends the events at once, also while one is waited for.
 */
export async function subscribe(
  plan: OperationPlan,
  execution: Omit<Execution, 'readList'>,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  let events: unknown;
  try {
    events = await openEvents(plan, execution);
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
  const { context, variables } = execution;
  return mapEvents(events as AsyncIterable<unknown>, async source => {
    const { data, errors } = await execute(plan, { source, context, variables });
    return errors ? { data, errors } : { data };
  });
}

/** @throws GraphQLError of the field, or Error for a resolver that returns no events, which is a defect */
async function openEvents(
  plan: OperationPlan,
  { source, context, variables }: Omit<Execution, 'readList'>,
): Promise<AsyncIterable<unknown>> {
  const planned = plan.planFor(variables);
  const [field] = planned.root.fields;
  if (!field) throw new GraphQLError('The subscription field is not defined.', { nodes: [plan.operation] });
  const errors = new CollectedErrors();
  const run: Run = {
    ...{ plan: planned, source, variables, context, errors, readList: undefined },
    ...{ turns: new TurnQueue(), characters: 0 },
  };
  const opened = await openField(run, field);
  if (typeof (opened as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] !== 'function') {
    throw new Error(`Subscription field must return Async Iterable. Received: ${inspect(opened)}.`);
  }
  return opened as AsyncIterable<unknown>;
}

async function openField(run: Run, field: FieldPlan): Promise<unknown> {
  try {
    const open = field.subscribe;
    const given = run.source as Record<string, unknown> | null | undefined;
    const opened = open
      ? await open(run.source, field.argumentsOf(run), run.context, field.infoOf(run, field.pathBelow(undefined)))
      : given?.[field.name];
    if (opened instanceof Error) throw opened;
    return opened;
  } catch (error) {
    throw locatedError(error, field.nodes, [field.key]);
  }
}

/** No generator: its `return` waits for the event that `next` waits for. */
function mapEvents<T, U>(events: AsyncIterable<T>, map: (event: T) => Promise<U>): AsyncIterableIterator<U> {
  const iterator = events[Symbol.asyncIterator]();
  const mapped = async (step: IteratorResult<T, undefined>): Promise<IteratorResult<U, undefined>> => {
    if (step.done) return { value: undefined, done: true };
    try {
      return { value: await map(step.value), done: false };
    } catch (error) {
      await iterator.return?.().catch(() => {});
      throw error;
    }
  };
  return {
    next: async () => mapped(await iterator.next()),
    return: async () => (iterator.return ? mapped(await iterator.return()) : { value: undefined, done: true }),
    async throw(error: unknown) {
      if (iterator.throw) return mapped(await iterator.throw(error));
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
