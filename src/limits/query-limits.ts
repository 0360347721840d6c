import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import type { ErrorCode } from '../errors/codes.ts';
import type { CoercedVariables } from './query-arguments.ts';
import { measureVariables } from './query-inputs.ts';
import { measureOf, type QueryMeasure } from './query-measure.ts';
import { maxCount } from './query-weight.ts';
import { variableBounds } from './variable-bounds.ts';

/** Limits of one GraphQL request. The operations behind REST are part of the product and are not measured. */
export interface QueryLimits {
  /** Lexical tokens of the document, all operations included. The parser counts them and stops at the limit. */
  readonly maxTokens: number;
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxRootFields: number;
  readonly maxDirectives: number;
  /** Objects in the response. */
  readonly maxCost: number;
  readonly maxVariables: number;
  /** Items of any list in variables or in the document, but for lists of input fields with a maximum of their own (`@MaxItems`). */
  readonly maxListLength: number;
  /** Nested lists and objects in variables or in the document. */
  readonly maxInputDepth: number;
  readonly maxIntrospectionDepth: number;
  readonly maxIntrospectionAliases: number;
}

/** Measured with Node.js 24.21, graphql 16.15, 2 cores; times are those of a single request. */
export const defaultQueryLimits: QueryLimits = {
  // Eleven introspection queries of 184 tokens. At 5,000 tokens nested values overflow the stack, which would be a 500.
  maxTokens: 2_000,
  // Five nested pages and a field: each level of pages is two levels of fields and one round of SQL statements.
  maxDepth: 12,
  // Twelve months of eight metrics.
  maxAliases: 100,
  maxRootFields: 20,
  // The operations behind REST have up to 290, most of which shape the answer of REST and cost nothing here. Conditions are evaluated
  // once a request.
  maxDirectives: 300,
  // 5 to 9 µs per object: about 200 ms. Pages of 30 in pages of 30 are 961 objects, with a page of 20 in each 19,861;
  // 100 in 100 are 10,201, with an object in each 20,201; 100 in 100 in 100 are over a million.
  maxCost: 25_000,
  maxVariables: 100,
  // The assumed size of a list (`assumedListSize`), so that a lookup by ids does not exceed its cost.
  maxListLength: 100,
  // Twice the deepest published input (a ruleset: input, rules, rule, parameters, checks, check).
  maxInputDepth: 12,
  // types → fields is 2. fields → type → fields from `__schema`, on 300 types of 15 fields, takes as long as all other work
  // together (200 ms); from `__type` it is small and allowed.
  maxIntrospectionDepth: 2,
  // Each further `__schema` takes another 200 ms; two levels of seven aliases inside one take twice as long.
  maxIntrospectionAliases: 0,
};

/** Options for graphql's `parse`, which stops at `maxTokens`. */
export function parserOptions(limits: QueryLimits): { maxTokens: number } {
  return { maxTokens: limits.maxTokens };
}

interface Rule {
  readonly limit: keyof QueryLimits;
  readonly measure: Exclude<keyof QueryMeasure, 'overlong'>;
  readonly code: ErrorCode;
  readonly what: string;
  readonly advice: string;
}

const rules: readonly Rule[] = [
  {
    limit: 'maxCost',
    measure: 'cost',
    code: 'QUERY_TOO_EXPENSIVE',
    what: 'Objects that the answer can hold',
    advice: 'Ask for smaller pages with first, nest fewer lists, or split the query.',
  },
  {
    limit: 'maxDepth',
    measure: 'depth',
    code: 'QUERY_TOO_DEEP',
    what: 'Levels of nested fields',
    advice: 'Ask for the inner objects in a query of their own.',
  },
  {
    limit: 'maxRootFields',
    measure: 'rootFields',
    code: 'QUERY_TOO_MANY_ROOT_FIELDS',
    what: 'Fields at the root',
    advice: 'Send them in several requests.',
  },
  {
    limit: 'maxAliases',
    measure: 'aliases',
    code: 'QUERY_TOO_MANY_ALIASES',
    what: 'Aliases, counted wherever their fragment is spread',
    advice: 'Use fewer aliases or split the query.',
  },
  {
    limit: 'maxDirectives',
    measure: 'directives',
    code: 'QUERY_TOO_MANY_DIRECTIVES',
    what: 'Directives, counted wherever their fragment is spread',
    advice: 'Put one condition on a fragment instead of one on each field.',
  },
  {
    limit: 'maxVariables',
    measure: 'variables',
    code: 'QUERY_TOO_MANY_VARIABLES',
    what: 'Variables declared or sent',
    advice: 'Send only what the operation declares, or split the operation.',
  },
  {
    limit: 'maxListLength',
    measure: 'listLength',
    code: 'QUERY_LIST_TOO_LONG',
    what: 'Items in the longest list of the input',
    advice: 'Send the list in several requests.',
  },
  {
    limit: 'maxInputDepth',
    measure: 'inputDepth',
    code: 'QUERY_INPUT_TOO_DEEP',
    what: 'Levels of lists and objects in the input',
    advice: 'Send a flatter input.',
  },
  {
    limit: 'maxIntrospectionDepth',
    measure: 'introspectionDepth',
    code: 'QUERY_INTROSPECTION_TOO_DEEP',
    what: 'Levels of lists of types and fields in the introspection',
    advice: 'Ask for the names of the types first, then for each type with __type.',
  },
  {
    limit: 'maxIntrospectionAliases',
    measure: 'introspectionAliases',
    code: 'QUERY_INTROSPECTION_ALIASED',
    what: 'Aliases in the introspection',
    advice: 'Ask for __schema once and leave the aliases out.',
  },
];

/**
 * Returns one error per exceeded limit. Numbers that a partial measure lacks are not checked. `extensions`: `code` (stable per
 * limit), `limit` (its name), `measured`, `allowed`, `http.status` 400.
 */
export function queryLimitErrors(measure: Partial<QueryMeasure>, limits: QueryLimits): GraphQLError[] {
  return rules.flatMap(rule => {
    const overlong = rule.limit === 'maxListLength' ? measure.overlong : undefined;
    const measured = overlong?.length ?? measure[rule.measure];
    const allowed = overlong?.max ?? limits[rule.limit];
    if (measured === undefined || measured <= allowed) return [];
    const amount = measured === maxCount ? 'more than can be counted' : measured.toLocaleString('en');
    const message = `${rule.what}: ${amount}; the limit (${rule.limit}) is ${allowed.toLocaleString('en')}. ${rule.advice}`;
    const extensions = { code: rule.code, limit: rule.limit, measured, allowed, http: { status: 400 } };
    return [new GraphQLError(message, { extensions })];
  });
}

/** Values of the variables of one request, and the size of its operation with them. */
export interface MeasuredOperation {
  sent: Readonly<Record<string, unknown>>;
  /** Undefined if they cannot be coerced: see `errors`. */
  coerced: CoercedVariables | undefined;
  /** Errors of the coercion, at most 50. */
  errors: readonly GraphQLError[];
  /** Undefined if the variables cannot be coerced. */
  measure: QueryMeasure | undefined;
}

/** The limits of one operation. */
export interface OperationLimiter {
  /** Coerces the variables of a request and measures the operation. @throws GraphQLError if it exceeds a limit */
  measure(sent: Readonly<Record<string, unknown>>): MeasuredOperation;
  /** Maximum bytes of a request, if larger than that of all requests: see `VariableBounds`. */
  maxBodyBytes: number;
}

/**
 * Prepares the check of an operation against `limits`, after validation and before execution. Who parses the document also needs
 * `parserOptions(limits)`.
 */
export function operationLimiter(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  limits: QueryLimits = defaultQueryLimits,
): OperationLimiter {
  const { variableDefinitions = [] } = operation;
  const bounds = variableBounds(schema, document, operation);
  const measureWith = measureOf(schema, document, operation, bounds);
  const measure = (sent: Readonly<Record<string, unknown>>): MeasuredOperation => {
    refuse(queryLimitErrors(measureVariables(sent, bounds.types, bounds.maxItems), limits));
    const { coerced, errors = [] } = getVariableValues(schema, variableDefinitions, sent, { maxErrors: 50 });
    if (!coerced) return { sent, coerced, errors, measure: undefined };
    const measured = measureWith(coerced);
    refuse(queryLimitErrors(measured, limits));
    return { sent, coerced, errors, measure: measured };
  };
  return { measure, maxBodyBytes: bounds.maxBodyBytes };
}

/** Throws one error with all messages, because the HTTP status is that of one code. */
function refuse([first, ...others]: GraphQLError[]): void {
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const message = [first, ...others].map(error => error.message).join(' ');
  throw new GraphQLError(message, { extensions: first.extensions });
}
