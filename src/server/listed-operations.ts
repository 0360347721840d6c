import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { defaultQueryLimits, parserOptions } from '../limits/query-limits.ts';
import { validateDocument } from '../limits/validate-document.ts';

/** Operations that the installation publishes, by the SHA-256 of their text. */
export interface ListedOperation {
  /** The text of the file without its trailing newline. */
  readonly text: string;
  readonly document: DocumentNode;
}

export type ListedOperations = ReadonlyMap<string, ListedOperation>;

const folder = join(import.meta.dirname, '..', '..', 'examples', 'operations');

/** A listed operation is not valid in the graph. */
export class ListedOperationError extends Error {}

/**
 * Reads and validates `examples/operations/*.graphql`, once per start. Clients send the hash alone, in the protocol of automatic
 * persisted queries: the text of a listed operation need not be sent before.
 *
 * @throws ListedOperationError naming the file
 */
export function readListedOperations(graph: GraphQLSchema): ListedOperations {
  const operations = new Map<string, ListedOperation>();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.graphql')) continue;
    const text = readFileSync(join(folder, file), 'utf8').trimEnd();
    operations.set(createHash('sha256').update(text).digest('hex'), { text, document: documentOf(graph, file, text) });
  }
  return operations;
}

function documentOf(graph: GraphQLSchema, file: string, text: string): DocumentNode {
  let document: DocumentNode;
  let errors: readonly GraphQLError[];
  try {
    document = parse(text, parserOptions(defaultQueryLimits));
    errors = validateDocument(graph, document);
  } catch (error) {
    throw new ListedOperationError(`examples/operations/${file}: ${(error as Error).message}`);
  }
  const [first] = errors;
  if (first) throw new ListedOperationError(`examples/operations/${file}: ${first.message}`);
  return document;
}
