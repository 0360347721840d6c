import type { Read } from '../db/read.ts';
import type { WorkBudget } from './work-budget.ts';

/** What a computation works with: rows of the database, and what it may spend. */
export interface WorkSource {
  readonly read: Read;
  readonly workBudget: WorkBudget;
}

/** Plain data, of which the structured clone algorithm makes a copy. */
export interface WorkInput {
  /** The processes keep objects of the repositories that they have worked on. */
  repositoryId: number;
}

/**
 * Work over one repository that runs in this process or in a child process, with the same result. It only reads, and `Output` is plain
 * data, too: maps, buffers and lists, no instances of classes. Of errors, those of `work-errors.ts` arrive as they are.
 */
export interface Computation<Input extends WorkInput, Output> {
  /** Its name in the list of the program: `compare`. */
  readonly name: string;
  run(source: WorkSource, input: Input): Promise<Output>;
}

/** Decides where the computations of one caller run. */
export interface Isolation {
  /** @throws as the computation; SERVICE_UNAVAILABLE when its process ended, and when too many computations wait */
  run<Input extends WorkInput, Output>(
    computation: Computation<Input, Output>,
    input: Input,
    source: WorkSource,
  ): Promise<Output>;
}

/** Runs a computation where the source says; in this process when it says nothing. @throws as `Isolation.run` */
export function compute<Input extends WorkInput, Output>(
  source: WorkSource & { readonly isolation?: Isolation | undefined },
  computation: Computation<Input, Output>,
  input: Input,
): Promise<Output> {
  return source.isolation ? source.isolation.run(computation, input, source) : computation.run(source, input);
}
