import { readFileSync } from 'node:fs';
import { serviceUnavailable } from '../errors/errors.ts';
import { WorkBudget, type WorkLimits } from './work-budget.ts';
import { type SentError, toSentError } from './work-errors.ts';
import {
  type FromWorkProcess,
  outOfMemoryCode,
  type ToWorkProcess,
  type WorkOrder,
  type WorkStart,
} from './work-messages.ts';

/** A computation, or a task of a job. */
interface ServedWork<Source> {
  readonly name: string;
  run(source: Source & { workBudget: WorkBudget; signal: AbortSignal }, input: never): Promise<unknown>;
}

/**
 * Runs what the parent process orders, one after another, until it disconnects.
 * @param connect opens what the work reads from and writes to
 */
export function serveWork<Source extends object>(
  all: readonly ServedWork<Source>[],
  connect: (start: WorkStart) => Source,
): void {
  const byName = new Map(all.map(one => [one.name, one]));
  const send = (message: FromWorkProcess): void => void process.send?.(message);
  let source: Source | undefined;
  let end = new AbortController();
  process.on('disconnect', () => process.exit());
  process.on('message', (message: ToWorkProcess) => {
    if (message.kind === 'start') {
      source = connect(message);
      send({ kind: 'ready', dataBytes: dataBytes() });
    } else if (message.kind === 'abort') end.abort();
    else if (source) {
      end = new AbortController();
      void runOrder(byName, source, message, end).then(send);
    }
  });
}

async function runOrder<Source extends object>(
  all: ReadonlyMap<string, ServedWork<Source>>,
  source: Source,
  { name, input, budget: state }: WorkOrder,
  end: AbortController,
): Promise<FromWorkProcess> {
  const used = process.cpuUsage();
  const timer = endAtDeadline(end, state.left);
  const { signal } = end;
  const workBudget = WorkBudget.continue(state, signal);
  const finish = (result: { value: unknown } | { error: SentError }): FromWorkProcess => {
    const { user, system } = process.cpuUsage(used);
    const cpuMicroseconds = user + system + workBudget.processMicroseconds;
    return { kind: 'done', left: workBudget.state.left, cpuMicroseconds, result };
  };
  try {
    const work = all.get(name);
    if (!work) throw new TypeError(`There is no work «${name}».`);
    return finish({ value: await work.run({ ...source, workBudget, signal }, input as never) });
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
