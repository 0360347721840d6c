/** One thing that is wrong with one parameter. `path` starts with the parameter's name and goes on into its value. */
export interface InvalidParameter {
  path: (string | number)[];
  in: 'path' | 'query' | 'body';
  kind:
    | 'required' // absent, and the operation cannot do without
    | 'null' // null where a value is needed
    | 'type' // not of the type named in `expected`
    | 'choice' // not one of `choices`
    | 'range' // a number beyond `limit`
    | 'union' // of none of the forms in `choices`
    | 'nul' // a text with a NUL character
    | 'value'; // refused by the scalar named in `expected`; `message` says why
  /** integer, number, boolean, string, object, list, enum or the scalar's name. */
  expected: string;
  value?: unknown;
  choices?: readonly string[];
  /** The end of the range that the value is beyond. */
  limit?: { least: number } | { most: number };
  message?: string;
}

/** Everything that can go wrong between a request and its answer. Each product has its own words and JSON for it. */
export type Problem =
  | { kind: 'not-found'; reason: 'route' | 'parameter' | 'absent' | 'page' }
  | { kind: 'method'; method: string; allow: string[] }
  /** A header of the request that the product insists on; `value` as sent. */
  | { kind: 'header'; name: string; is: 'missing' | 'unreadable' | 'unsupported'; value: string }
  /** The endpoint was retired, and the product does not serve it all the same. */
  | { kind: 'retired'; deprecatedAt: Date; retiredAt: Date }
  /** A page further on than the list may be read. */
  | { kind: 'too-far' }
  /** A Range of which nothing is there; `size` in bytes is what there is. */
  | { kind: 'range'; size: number }
  | { kind: 'not-acceptable'; accept: string }
  | { kind: 'media-type'; type: string }
  | { kind: 'too-large'; limit: number }
  | { kind: 'malformed'; of: 'JSON' | 'Form' | 'Multipart form'; message: string }
  | { kind: 'not-an-object'; type: string }
  | { kind: 'no-body' }
  | { kind: 'problems'; problems: InvalidParameter[] }
  | { kind: 'graph'; code: string; status: number; message: string; facts: Record<string, unknown> }
  | { kind: 'defect' };

/** Thrown by the steps of the engine and caught once, where the product turns it into its own answer. */
export class ProblemError extends Error {
  readonly failure: Problem;

  constructor(failure: Problem) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** Thrown when the connection ended before the request did: there is nobody left to answer, and nothing is wrong with us. */
export class ClientDisconnectedError extends Error {}

interface CodedError {
  message: string;
  extensions?: { code?: unknown; http?: { status?: unknown } } & Record<string, unknown>;
}

/** The failure that an error with a code and a status of its own amounts to; undefined for any other thing thrown. */
export function problemOf(error: unknown): Extract<Problem, { kind: 'graph' }> | undefined {
  const { message, extensions } = (error ?? {}) as CodedError;
  const status = extensions?.http?.status;
  if (typeof extensions?.code !== 'string' || typeof status !== 'number' || status < 400) return undefined;
  const { code, http: _, ...facts } = extensions;
  return { kind: 'graph', code: extensions.code, status, message, facts };
}
