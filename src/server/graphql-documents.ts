import { hash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  parse,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { nextEventLoopTurn } from 'operation-rest';
import type { Actor } from '../auth/actor.ts';
import { defaultQueryLimits, parserOptions } from '../limits/query-limits.ts';
import { validateDocument } from '../limits/validate-document.ts';
import type { DocumentPolicy } from './document-policy.ts';
import { requestError } from './graphql-errors.ts';
import type { GraphqlRequest } from './graphql-request.ts';
import { PreparedOperation } from './prepared-operation.ts';

/** The text of a document and its SHA-256. */
export interface DocumentSource {
  text: string;
  hash: string;
  /** The client has sent both, so that it may send the hash alone from now on. */
  isRegistered: boolean;
}

/** A document that is parsed and validated; its operations are prepared when they are first requested. */
interface ValidDocument {
  document: DocumentNode;
  operations: Map<string | undefined, PreparedOperation>;
  /** Size without the plans of its operations, in the units of the cache. */
  units: number;
}

/** Why a document cannot be run. */
export interface InvalidDocument {
  errors: GraphQLFormattedError[];
}

/** Number of requested operations whose document was in the cache, and of those that were parsed and validated. */
export interface DocumentCounts {
  known: number;
  new: number;
}

/** The counts as metrics. */
export const documentMetrics = (counts: DocumentCounts) =>
  Object.entries(counts).map(([document, count]) => ({ name: 'graphql_documents_total', labels: { document }, count }));

/**
 * Size of the cache in units of 100 to 400 bytes, 20 MB in all: one per token, three per selected field of a plan (of a list of 20
 * fields 60) and one per 100 characters of text.
 */
const maxCachedUnits = 100_000;
const unitsPerField = 3;

/** Maximum characters of persisted queries that clients have sent. */
const maxTextCharacters = 10_000_000;

/** Documents of one graph, each of which is parsed, validated, measured and planned once. */
export class GraphqlDocuments {
  readonly #graph: GraphQLSchema;
  readonly #policy: DocumentPolicy;
  readonly #counts: DocumentCounts;
  readonly #valid = new LRUCache<string, ValidDocument>({ maxSize: maxCachedUnits });
  readonly #texts = new LRUCache<string, string>({
    maxSize: maxTextCharacters,
    sizeCalculation: text => text.length + 64,
  });

  constructor(graph: GraphQLSchema, policy: DocumentPolicy, counts: DocumentCounts) {
    this.#graph = graph;
    this.#policy = policy;
    this.#counts = counts;
  }

  /** Units in use, at most 100,000, and documents in the cache. */
  get size(): { units: number; documents: number } {
    return { units: this.#valid.calculatedSize, documents: this.#valid.size };
  }

  /**
   * The document that a request sends or names by its hash, in the protocol of automatic persisted queries:
   * https://www.apollographql.com/docs/apollo-server/performance/apq
   *
   * @throws GraphQLError PERSISTED_QUERY_NOT_FOUND, BAD_REQUEST
   */
  sourceOf({ query, extensions }: GraphqlRequest): DocumentSource {
    if (extensions === undefined || !('persistedQuery' in extensions)) {
      if (query) return { text: query, hash: hash('sha256', query), isRegistered: false };
      const message = 'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.';
      throw requestError('BAD_REQUEST', message, 400);
    }
    const persisted = hashOf(extensions.persistedQuery);
    if (persisted === undefined) throw requestError('BAD_REQUEST', 'Unsupported persisted query version', 400);
    if (query !== undefined) {
      if (hash('sha256', query) === persisted) return { text: query, hash: persisted, isRegistered: true };
      throw requestError('BAD_REQUEST', 'provided sha does not match query', 400);
    }
    const text = this.#policy.find(persisted)?.text ?? this.#texts.get(persisted);
    if (text) return { text, hash: persisted, isRegistered: false };
    throw requestError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound', 200, {
      'cache-control': 'private, no-cache, must-revalidate',
    });
  }

  /** Keeps a text whose hash the client will send. */
  register({ text, hash: key }: DocumentSource): void {
    this.#texts.set(key, text);
  }

  /** The operation if its document is in the cache; neither parses nor waits. */
  findPrepared({ hash: key }: DocumentSource, operationName: string | undefined): PreparedOperation | undefined {
    const found = this.#valid.get(key);
    const operation = found && prepared(this.#graph, found, operationName);
    if (operation) this.#counts.known++;
    return operation;
  }

  /**
   * Parses and validates a document, in an event loop turn of its own. Valid ones stay in the cache.
   *
   * @returns undefined if the document has no such operation
   * @throws GraphQLError for a document that cannot be parsed
   */
  async prepare(
    { text, hash: key }: DocumentSource,
    operationName: string | undefined,
    actor: Actor,
  ): Promise<PreparedOperation | InvalidDocument | undefined> {
    await nextEventLoopTurn();
    let valid = this.#valid.get(key);
    if (!valid) {
      this.#counts.new++;
      const document = parseDocument(text);
      // A caller who may not run the document is not told whether it is valid.
      if (this.#policy.refusal(actor, text)) return { errors: [] };
      const errors = validateDocument(this.#graph, document);
      if (errors.length > 0) return { errors: errors.map(formatInvalid) };
      valid = { document, operations: new Map(), units: dropTokens(document) + Math.ceil(text.length / 100) };
      this.#valid.set(key, valid, { size: valid.units });
    }
    return prepared(this.#graph, valid, operationName);
  }

  /** Updates the size of a document whose plans have grown. */
  resize({ hash: key }: DocumentSource): void {
    const valid = this.#valid.peek(key);
    if (!valid) return;
    let size = valid.units;
    for (const { plan } of valid.operations.values()) size += unitsPerField * plan.size;
    // A larger one would be refused by the cache and prepared anew for every request.
    this.#valid.set(key, valid, { size: Math.min(size, maxCachedUnits), noUpdateTTL: true });
  }
}

function prepared(
  graph: GraphQLSchema,
  { document, operations }: ValidDocument,
  name: string | undefined,
): PreparedOperation | undefined {
  const known = operations.get(name);
  if (known) return known;
  const all = document.definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION);
  const definition =
    name === undefined ? (all.length === 1 ? all[0] : undefined) : all.find(one => one.name?.value === name);
  if (!definition) return undefined;
  // With and without its name, a single operation is the same.
  const same = [...operations.values()].find(one => one.operation === definition);
  const made = same ?? new PreparedOperation(graph, document, definition);
  operations.set(name, made);
  return made;
}

function parseDocument(text: string): DocumentNode {
  try {
    return parse(text, parserOptions(defaultQueryLimits));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { message, source, positions } = error;
    const extensions = { code: 'GRAPHQL_PARSE_FAILED', http: { status: 400 } };
    throw new GraphQLError(message, { source, positions, extensions } as never);
  }
}

/** Omits the AST nodes, which would keep the document in memory. */
function formatInvalid(error: GraphQLError): GraphQLFormattedError {
  const { message, locations, extensions } = error.toJSON();
  return {
    message,
    ...(locations ? { locations } : {}),
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED', ...extensions },
  };
}

/**
 * Removes the links from the nodes to the list of tokens, which takes half of the memory of a document. Locations of errors are
 * computed from the offsets of a node. @returns the number of tokens
 */
function dropTokens(document: DocumentNode): number {
  let tokens = 1;
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) tokens++;
  visit(document, {
    enter({ loc }) {
      if (loc) Object.assign(loc, { startToken: undefined, endToken: undefined });
    },
  });
  return tokens;
}

function hashOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { version, sha256Hash } = value as { version?: unknown; sha256Hash?: unknown };
  return version === 1 && typeof sha256Hash === 'string' ? sha256Hash : undefined;
}
