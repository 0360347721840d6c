import type { ApolloServerPlugin, BaseContext } from '@apollo/server';
import { GraphQLError, getVariableValues } from 'graphql';
import { measureVariables } from './query-inputs.ts';
import { measureQuery, type QueryMeasure } from './query-measure.ts';
import { maxCount } from './query-weight.ts';

/** How much one free-form GraphQL request may ask for. The operations behind REST are ours and not measured. */
export interface QueryLimits {
  /** Words and marks in the document, over all its operations. Counted by the parser, which stops there. */
  readonly maxTokens: number;
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxRootFields: number;
  readonly maxDirectives: number;
  /** Objects in the answer. */
  readonly maxCost: number;
  readonly maxVariables: number;
  /** Items of any list in variables or in the document. */
  readonly maxListLength: number;
  /** Lists and objects one inside the other, in variables or in the document. */
  readonly maxInputDepth: number;
  readonly maxIntrospectionDepth: number;
  readonly maxIntrospectionAliases: number;
}

/** Measured on Node 24.21, graphql 16.15, 2 cores; milliseconds are of one request alone. */
export const defaultQueryLimits: QueryLimits = {
  // 11 introspection queries of 184. The worst document found takes 240 ms to validate, with or without this limit (graphql
  // gives up comparing fields by itself); but at 5,000 nested values overflow the stack, which would be answered as 500.
  maxTokens: 2_000,
  // Five pages one inside the other and a field: each level of pages is two levels of fields, and one wave of SQL.
  maxDepth: 12,
  // Twelve months of eight metrics.
  maxAliases: 100,
  maxRootFields: 20,
  maxDirectives: 50,
  // 5 to 9 µs an object: some 200 ms. Pages of 30 in pages of 30 are 961, with a page of 20 in each 19,861;
  // 100 in 100 are 10,201, with an object in each 20,201; 100 in 100 in 100 are over a million.
  maxCost: 25_000,
  maxVariables: 100,
  // No more than the size assumed for a list without one: a lookup by ids then stays within its cost.
  maxListLength: 100,
  // Twice the deepest input published (a ruleset: input, rules, rule, parameters, checks, check).
  maxInputDepth: 12,
  // types → fields is 2. fields → type → fields stays open from `__type`, where it is small; from `__schema`, on 300 types
  // of 15 fields, it takes as long as everything else together (200 ms).
  maxIntrospectionDepth: 2,
  // Each `__schema` more is another 200 ms, and inside one two levels of seven aliases are twice as much.
  maxIntrospectionAliases: 0,
};

/** What Apollo's `parseOptions`, or graphql's `parse`, needs to stop at `maxTokens`. Apollo answers 400 GRAPHQL_PARSE_FAILED. */
export function parserOptions(limits: QueryLimits): { maxTokens: number } {
  return { maxTokens: limits.maxTokens };
}

interface Rule {
  readonly limit: keyof QueryLimits;
  readonly measure: keyof QueryMeasure;
  readonly code: string;
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
 * One error for each limit that a measure exceeds, none when it is within all of them; numbers that a partial measure
 * lacks are not judged. `extensions`: `code` stable for each limit, `limit` its name, `measured`, `allowed`, `http.status` 400.
 */
export function queryLimitErrors(measure: Partial<QueryMeasure>, limits: QueryLimits): GraphQLError[] {
  return rules.flatMap(rule => {
    const measured = measure[rule.measure];
    const allowed = limits[rule.limit];
    if (measured === undefined || measured <= allowed) return [];
    const amount = measured === maxCount ? 'more than can be counted' : measured.toLocaleString('en');
    const message = `${rule.what}: ${amount}; the limit (${rule.limit}) is ${allowed.toLocaleString('en')}. ${rule.advice}`;
    const extensions = { code: rule.code, limit: rule.limit, measured, allowed, http: { status: 400 } };
    return [new GraphQLError(message, { extensions })];
  });
}

/**
 * Refuses an operation that exceeds `limits`, after validation and before anything runs. Needs `parserOptions(limits)` as
 * the server's `parseOptions` beside it.
 *
 * Variables that cannot be coerced are left to the executor, which coerces them again and reports what is wrong.
 *
 * @param onMeasured is called for each operation within the limits, for charging and for insights
 */
export function queryLimitsPlugin<TContext extends BaseContext>(
  limits: QueryLimits = defaultQueryLimits,
  onMeasured?: (context: TContext, measure: QueryMeasure) => void,
): ApolloServerPlugin<TContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, operation, request, contextValue }) {
          if (!operation) return;
          refuse(queryLimitErrors(measureVariables(request.variables), limits));

          const inputs = request.variables ?? {};
          const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], inputs, { maxErrors: 1 });
          if (coerced === undefined) return;
          const measure = measureQuery(schema, document, request.operationName ?? undefined, coerced);
          refuse(queryLimitErrors(measure, limits));
          onMeasured?.(contextValue, measure);
        },
      };
    },
  };
}

/** Apollo reports one error of this hook, so the first one speaks for all. */
function refuse([first, ...others]: GraphQLError[]): void {
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const message = [first, ...others].map(error => error.message).join(' ');
  throw new GraphQLError(message, { extensions: first.extensions });
}
