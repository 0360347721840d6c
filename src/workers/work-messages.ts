import type { WorkInput } from './computation.ts';
import type { WorkBudgetState, WorkLimits } from './work-budget.ts';
import type { SentError } from './work-errors.ts';

/** The first message to a process. It is not in the arguments, which every account of the machine can read: it may hold a password. */
export interface WorkStart {
  kind: 'start';
  database: { url: string; isBehindPooler: boolean };
  statementTimeoutMs: number;
}

/** A computation to run. A process has one at a time, so that its end concerns no other. */
export interface WorkOrder {
  kind: 'run';
  name: string;
  input: WorkInput;
  budget: WorkBudgetState;
}

/** The order is not wanted any more: its signal is aborted. */
interface WorkAbort {
  kind: 'abort';
}

export type ToWorkProcess = WorkStart | WorkOrder | WorkAbort;

export type FromWorkProcess =
  /** It has loaded its program. `dataBytes`: what the kernel counts as its data by then (VmData); undefined where it does not say. */
  | { kind: 'ready'; dataBytes: number | undefined }
  | {
      kind: 'done';
      /** What is left of the budget. */
      left: WorkLimits;
      /** Of the process while it ran, user and system, and of those that it started. */
      cpuMicroseconds: number;
      result: { value: unknown } | { error: SentError };
    };

/** Exit code of a process that has no memory left for a Buffer. */
export const outOfMemoryCode = 71;
