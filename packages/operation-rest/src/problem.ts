import { type InputNames, publishedPath } from './input-names.ts';

/** One invalid parameter. `path` starts with the parameter's name and continues into its value. */
export interface InvalidParameter {
  path: (string | number)[];
  in: 'path' | 'query' | 'body';
  kind:
    | 'required' // absent, and the operation requires it
    | 'null' // null where the type is non-null
    | 'type' // not of the type named in `expected`
    | 'choice' // not one of `choices`
    | 'range' // a number outside `limit`
    | 'union' // none of the types in `choices`
    | 'nul' // a string that contains U+0000
    | 'surrogate' // a string with a lone surrogate
    | 'value'; // refused by the scalar named in `expected`; `message` is the scalar's reason
  /** integer, number, boolean, string, object, list, enum, or the scalar's name. */
  expected: string;
  value?: unknown;
  choices?: readonly string[];
  /** The end of the range that the value exceeds; inclusive. */
  limit?: { min: number } | { max: number };
  message?: string;
}

/** An input that the graph refused. `path` is empty for the input as a whole. */
export interface InvalidInput {
  path: readonly (string | number)[];
  message: string;
  /** Arguments that the message names, each as a word: those of the parameters that feed them are published. */
  named?: readonly string[];
  /** The resource that is published with the problem, where a convention has one. */
  resource?: string;
}

/** Why a request body cannot be parsed. */
export type MalformedReason =
  | { is: 'encoding' } // not UTF-8
  | { is: 'depth'; max: number } // JSON with too many levels
  | { is: 'members'; max: number } // JSON with too many members and items
  | { is: 'repeated-key' } // JSON with an object that has a key twice
  | { is: 'parts'; max: number } // a form with too many parts
  | { is: 'syntax'; message: string }; // `message` is the parser's

/** Every error between a request and its response, as a code with data. The product formats it (`Product.formatProblem`). */
export type Problem =
  | { kind: 'not-found'; reason: 'route' | 'parameter' | 'absent' | 'page' }
  | { kind: 'method'; method: string; allow: string[] }
  /** A request header that the product requires or parses; `value` as sent. */
  | { kind: 'header'; name: string; reason: 'missing' | 'unreadable' | 'unsupported'; value: string }
  /** A precondition of a write that is false; `name` of its header. */
  | { kind: 'precondition'; name: string }
  /** `Idempotency-Key` is no key, its first request still runs or was another one, or the response to it was not stored. */
  | { kind: 'idempotency-key'; reason: 'malformed' | 'in-flight' | 'reused' | 'lost' }
  /** A parameter of the path is invalid, at an endpoint that refuses it (`@rest(refusesInvalidPath: true)`). */
  | { kind: 'invalid-path'; name: string }
  /** The endpoint is retired and the product does not serve it any more. */
  | { kind: 'retired'; deprecatedAt: Date; retiredAt: Date }
  /** A page beyond `@page(maxEntries)`. */
  | { kind: 'too-far' }
  /** A Range header that selects no byte; `size` is the size of the whole content in bytes. */
  | { kind: 'range'; size: number }
  | { kind: 'not-acceptable'; accept: string }
  | { kind: 'media-type'; type: string }
  | { kind: 'too-large'; maxBytes: number }
  /** A list's query string that its page links cannot repeat. */
  | { kind: 'query-too-long'; maxLength: number }
  | { kind: 'malformed'; format: 'JSON' | 'Form' | 'Multipart form' | 'Query'; reason: MalformedReason }
  | { kind: 'not-an-object'; type: string }
  | { kind: 'no-body' }
  | { kind: 'invalid-parameters'; invalid: InvalidParameter[] }
  /** Parameters that exclude each other. */
  | { kind: 'conflict'; message: string }
  /** A GraphQL error with a code and a status; `inputs` are its extension `problems`, `data` its other extensions. */
  | {
      kind: 'graph';
      code: string;
      status: number;
      message: string;
      inputs?: readonly InvalidInput[];
      data: Record<string, unknown>;
    }
  /** A defect of the server. */
  | { kind: 'defect' };

/** An error of the graph. */
export type GraphProblem = Extract<Problem, { kind: 'graph' }>;

/** Thrown by the steps of the engine; RestHandler catches it and sends the product's response. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.kind);
    this.problem = problem;
  }
}

/** Thrown when the client disconnects before the request is complete. Nobody is answered and nothing is logged. */
export class ClientDisconnectedError extends Error {}

interface CodedError {
  message: string;
  extensions?: { code?: unknown; http?: { status?: unknown } } & Record<string, unknown>;
}

/** Converts an error with `extensions.code` and `extensions.http.status` >= 400; undefined for any other value. */
export function problemOf(error: unknown): GraphProblem | undefined {
  const { message, extensions } = (error ?? {}) as CodedError;
  const status = extensions?.http?.status;
  if (typeof extensions?.code !== 'string' || typeof status !== 'number' || status < 400) return undefined;
  const { code, http: _, problems, ...data } = extensions;
  const inputs = Array.isArray(problems) ? { inputs: problems as InvalidInput[] } : {};
  return { kind: 'graph', code: extensions.code, status, message, ...inputs, data };
}

/** Names refused inputs as the parameters that feed them. `field`: response path of the error. */
export function publishInputs(
  problem: GraphProblem,
  names: InputNames,
  field: readonly (string | number)[],
): GraphProblem {
  if (!problem.inputs) return problem;
  const inputs = problem.inputs.map(({ named = [], ...one }) => ({
    ...one,
    path: publishedPath(names, field, one.path),
    message: one.message.replace(/\w+/g, word =>
      named.includes(word) ? nameOf(publishedPath(names, field, [word])) : word,
    ),
  }));
  return { ...problem, inputs };
}

const nameOf = (path: readonly (string | number)[]): string => path.join('.');
