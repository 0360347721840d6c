import { readFileSync } from 'node:fs';
import { serviceUnavailable } from '../errors/errors.ts';
import type { Computation, WorkInput, WorkSource } from './computation.ts';
import { WorkBudget, type WorkLimits } from './work-budget.ts';
import { type SentError, toSentError } from './work-errors.ts';
import {
  type FromWorkProcess,
  outOfMemoryCode,
  type ToWorkProcess,
  type WorkOrder,
  type WorkStart,
} from './work-messages.ts';

/**
 * Runs the computations that the parent process sends, one after another, until it disconnects.
 * @param connect opens what they read from
 */
export function serveWork(
  computations: readonly Computation<never, unknown>[],
  connect: (start: WorkStart) => WorkSource['read'],
): void {
  const byName = new Map(computations.map(one => [one.name, one as Computation<WorkInput, unknown>]));
  const send = (message: FromWorkProcess): void => void process.send?.(message);
  let read: WorkSource['read'] | undefined;
  process.on('disconnect', () => process.exit());
  process.on('message', (message: ToWorkProcess) => {
    if (message.kind === 'start') {
      read = connect(message);
      send({ kind: 'ready', dataBytes: dataBytes() });
    } else if (read) void runOrder(byName, read, message).then(send);
  });
}

async function runOrder(
  computations: ReadonlyMap<string, Computation<WorkInput, unknown>>,
  read: WorkSource['read'],
  { name, input, budget: state }: WorkOrder,
): Promise<FromWorkProcess> {
  const used = process.cpuUsage();
  const deadline = new AbortController();
  const timer = endAtDeadline(deadline, state.left);
  const workBudget = WorkBudget.continue(state, deadline.signal);
  const finish = (result: { value: unknown } | { error: SentError }): FromWorkProcess => {
    const { user, system } = process.cpuUsage(used);
    return { kind: 'done', left: workBudget.state.left, cpuMicroseconds: user + system, result };
  };
  try {
    const computation = computations.get(name);
    if (!computation) throw new TypeError(`There is no computation «${name}».`);
    return finish({ value: await computation.run({ read, workBudget }, input) });
  } catch (error) {
    // What is left of the heap is not known to be whole.
    if (isOutOfMemory(error)) process.exit(outOfMemoryCode);
    return finish({ error: toSentError(error) });
  } finally {
    clearTimeout(timer);
  }
}

/** A Buffer or an ArrayBuffer that cannot be allocated; for a lack of heap, V8 ends the process. */
function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOfBuffer = (error as { code?: unknown }).code === 'ERR_MEMORY_ALLOCATION_FAILED';
  return isOfBuffer || (error instanceof RangeError && error.message.includes('allocation failed'));
}

function dataBytes(): number | undefined {
  try {
    const [, kilobytes] = /^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Work without waits ends by its budget, and not a moment before by the clock. */
const graceMs = 500;

/**
 * The budget counts work and no waits. This ends the work when both together take as long, as on a machine that has no time for it, a
 * moment before the process is ended.
 */
function endAtDeadline(deadline: AbortController, { milliseconds }: WorkLimits): NodeJS.Timeout | undefined {
  if (!Number.isFinite(milliseconds)) return undefined;
  const tooSlow = serviceUnavailable(
    { reason: 'work_slow' },
    'The work for this answer took too long. Try again later.',
  );
  return setTimeout(() => deadline.abort(tooSlow), Math.max(0, milliseconds) + graceMs);
}
