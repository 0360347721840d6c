import { ClientDisconnectedError, type Problem, ProblemError, problemOf } from './problem.ts';
import type { RestContext } from './product.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { RestHooks } from './rest-hooks.ts';

type Hooks = Pick<RestHooks, 'product' | 'explain' | 'passOn' | 'onResponse' | 'onDefect'>;

/** Answers the errors of one product's requests, and reports every response to `onResponse`. */
export class ErrorHandler {
  readonly #hooks: Hooks;
  readonly #writer: ResponseWriter;

  constructor(hooks: Hooks, writer: ResponseWriter) {
    this.#hooks = hooks;
    this.#writer = writer;
  }

  /** Sends the product's response to an error. Never throws. */
  handle(restContext: RestContext, error: unknown): void {
    const problem = this.#problemOf(restContext, error);
    if (problem && this.#passOn(restContext, problem)) return;
    this.#send(restContext, problem);
    if (problem) this.reportResponse(restContext, problem);
  }

  reportResponse(restContext: RestContext, problem: Problem | undefined): void {
    try {
      this.#hooks.onResponse?.(restContext, problem);
    } catch (defect) {
      this.#hooks.onDefect(defect, restContext.request);
    }
  }

  #passOn(restContext: RestContext, problem: Problem): boolean {
    const { passOn, onDefect } = this.#hooks;
    if (!passOn || restContext.response.headersSent || restContext.response.destroyed) return false;
    try {
      return passOn(restContext, problem);
    } catch (defect) {
      onDefect(defect, restContext.request);
      return false;
    }
  }

  #send(restContext: RestContext, problem: Problem | undefined): void {
    const { response } = restContext;
    try {
      const answer = problem && this.#hooks.product.formatProblem(problem, restContext);
      if (answer && restContext.events?.hasStarted) {
        restContext.events.end('error', answer.body);
        return;
      }
      if (problem === undefined || answer === undefined || response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      if (problem.kind === 'method') response.setHeader('Allow', problem.allow.join(', '));
      this.#writer.send(restContext, answer);
    } catch (defect) {
      // Nothing above catches it, and one request must not end the process.
      this.#hooks.onDefect(defect, restContext.request);
      response.destroy();
    }
  }

  /** Undefined if the client has disconnected. */
  #problemOf({ request }: RestContext, error: unknown): Problem | undefined {
    if (error instanceof ProblemError) return error.problem;
    if (error instanceof ClientDisconnectedError) return undefined;
    const { explain, onDefect } = this.#hooks;
    const problem = problemOf(explain?.(error) ?? error);
    if (!problem) onDefect(error, request);
    return problem ?? { kind: 'defect' };
  }
}
