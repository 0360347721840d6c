import type { ASTNode } from 'graphql';

/** What does not fit in an operation file. */
export interface OperationProblem {
  /** `<product>/<folder>/<name>.graphql` */
  file: string;
  /** From 1; undefined if the problem has no place in the text. */
  line: number | undefined;
  /** One sentence: the value and the rule. */
  reason: string;
}

/** Operation files do not fit the graph or the directives; this stops the start. The message has one line for each problem. */
export class OperationError extends Error {
  readonly problems: readonly OperationProblem[];

  constructor(problems: readonly OperationProblem[]) {
    super(
      problems.map(({ file, line, reason }) => `${file}${line === undefined ? '' : `:${line}`}: ${reason}`).join('\n'),
    );
    this.problems = problems;
  }
}

/** Ends the reading of a file whose problem is in the list already. */
class FileRefused extends Error {}

/** The problems of one file. */
export interface FileProblems {
  /** Adds a problem of the file; reading goes on. `node` says the line, and the file if a fragment of another file has it. */
  report(reason: string, node?: ASTNode): void;
  /** Adds a problem without which the rest of the file cannot be read. */
  refuse(reason: string, node?: ASTNode): never;
}

/** Collects the problems of all files, so that one start names all of them. */
export class OperationProblems {
  readonly #problems = new Map<string, OperationProblem>();

  /**
   * Runs a step of reading a file.
   *
   * @returns undefined if the step has found a problem, also one that is in the list already: each operation that spreads a fragment meets
   *   those of the fragment
   */
  attempt<T>(file: string, step: (problems: FileProblems) => T): T | undefined {
    let isSound = true;
    const report = (reason: string, node?: ASTNode): void => {
      isSound = false;
      this.add({ file: node?.loc?.source.name ?? file, line: node?.loc?.startToken.line, reason });
    };
    const refuse = (reason: string, node?: ASTNode): never => {
      report(reason, node);
      throw new FileRefused(reason);
    };
    try {
      const result = step({ report, refuse });
      return isSound ? result : undefined;
    } catch (error) {
      if (error instanceof OperationError) for (const problem of error.problems) this.add(problem);
      else if (!(error instanceof FileRefused)) report(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** Whether a problem has been found in the file so far. */
  isIn(file: string): boolean {
    return [...this.#problems.values()].some(one => one.file === file);
  }

  /** @throws OperationError with all problems, in the order of files and lines */
  assertNone(): void {
    if (this.#problems.size === 0) return;
    const problems = [...this.#problems.values()];
    throw new OperationError(problems.sort((a, b) => compare(a.file, b.file) || compare(a.line ?? 0, b.line ?? 0)));
  }

  /** Adds a problem, unless it is in the list already. */
  add(problem: OperationProblem): void {
    this.#problems.set(JSON.stringify(problem), problem);
  }
}

function compare<T extends string | number>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
