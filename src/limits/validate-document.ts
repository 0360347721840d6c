import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  validate,
} from 'graphql';
import { overlappingFieldErrors } from './overlapping-fields.ts';

/** What validation may take. The table in `docs/limits.md` has the worst documents that were found, in milliseconds. */
const bounds = {
  /** Errors that are reported. Each takes time to make. */
  maxErrors: 10,
  /** Fifteen times what a document of 2,000 tokens has without fragments. */
  maxSelections: 10_000,
  /** Microseconds of CPU of this thread. Not of the clock: on a busy machine innocent documents would be refused. */
  maxCpu: 100_000,
} as const;

/** Nodes between two looks at the time used, which take a microsecond each. */
const nodesPerCheck = 256;

const rules = specifiedRules.filter(rule => rule !== OverlappingFieldsCanBeMergedRule);

/** Thrown inside of `validate`, which passes it on. */
class ValidationTimeout extends Error {}

/**
 * Validates a document in bounded time: all rules of graphql-js but one, whose time is quadratic, and a linear one in its
 * stead, which is asked last because it needs a document that is valid otherwise. Without suggestions («Did you mean»):
 * they compare what was written with every name of the schema.
 *
 * @returns ten errors at most. `extensions.code` is there where it is not GRAPHQL_VALIDATION_FAILED.
 */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const options = { maxErrors: bounds.maxErrors, hideSuggestions: true };
  try {
    const errors = validate(schema, document, [cpuTimeLimit(), ...rules], options);
    return errors.length > 0 ? errors : overlappingFieldErrors(schema, document, bounds.maxSelections);
  } catch (error) {
    if (!(error instanceof ValidationTimeout)) throw error;
    const message = 'The document takes too long to validate. Make it smaller or split it.';
    return [new GraphQLError(message, { extensions: { code: 'QUERY_TOO_COMPLEX' } })];
  }
}

/** A rule that finds nothing and ends a validation that has used too much of the CPU. */
function cpuTimeLimit(): () => ASTVisitor {
  const began = threadCpuMicroseconds();
  let nodes = 0;
  return () => ({
    enter() {
      if (++nodes % nodesPerCheck === 0 && threadCpuMicroseconds() - began > bounds.maxCpu)
        throw new ValidationTimeout();
    },
  });
}

function threadCpuMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
