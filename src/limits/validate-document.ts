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

/** Limits of validation. `docs/limits.md` lists the slowest documents found, in milliseconds. */
const bounds = {
  /** Each reported error takes time to build. */
  maxErrors: 10,
  /** Fifteen times the selections of a document of 2,000 tokens without fragments. */
  maxSelections: 10_000,
  /** Microseconds of CPU time of this thread. Rejected: elapsed time, which depends on the load of the machine. */
  maxCpu: 100_000,
} as const;

/** AST nodes between two readings of the CPU time, which take 1 µs each. */
const nodesPerCheck = 256;

const rules = specifiedRules.filter(rule => rule !== OverlappingFieldsCanBeMergedRule);

/** Thrown inside `validate`, which does not catch it. */
class ValidationTimeout extends Error {}

/**
 * Validates a document in bounded time. `OverlappingFieldsCanBeMergedRule` of graphql-js is quadratic and is replaced by
 * `overlappingFieldErrors`, which runs last because it requires a document that satisfies all other rules. Suggestions («Did you
 * mean») are off: they compare a name with every name of the schema.
 *
 * @returns at most ten errors. `extensions.code` is absent for GRAPHQL_VALIDATION_FAILED.
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

/** A validation rule without errors that aborts a validation which has used too much CPU time. */
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
