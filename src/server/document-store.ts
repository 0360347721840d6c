import { type DocumentNode, type GraphQLError, type GraphQLSchema, type OperationDefinitionNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { validateDocument } from '../limits/validate-document.ts';
import type { DocumentPolicy } from './document-policy.ts';
import { PreparedOperation } from './prepared-operation.ts';

/** What Apollo Server needs of a cache. Its keys end with the SHA-256 of a text, as 64 digits. */
interface Cache<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<boolean>;
}

const hashLength = 64;

/** A document that has passed validation; its operations are prepared when they are first requested. */
interface ValidDocument {
  document: DocumentNode;
  operations: Map<OperationDefinitionNode, PreparedOperation>;
  /** Size without the plans of its operations, in the units of the cache. */
  units: number;
}

/** Number of requests whose document was in the store, and of those whose document was parsed. */
export interface DocumentCounts {
  known: number;
  new: number;
}

/** The counts as metrics. */
export const documentMetrics = (counts: DocumentCounts) =>
  Object.entries(counts).map(([document, count]) => ({ name: 'graphql_documents_total', labels: { document }, count }));

/**
 * Size of the store in units of 100 to 400 bytes, 20 MB in all: one per token, three per selected field of a plan (of a list of 20
 * fields 60) and one per 100 characters of text.
 */
const maxStoredUnits = 100_000;
const unitsPerField = 3;

/** Maximum characters of persisted queries that clients have sent. */
const maxTextCharacters = 10_000_000;

/** The documents of one graph that have passed validation. Each of their operations is measured and planned once. */
export class DocumentStore implements Cache<DocumentNode> {
  readonly #graph: GraphQLSchema;
  readonly #counts: DocumentCounts;
  readonly #stored = new LRUCache<string, ValidDocument>({ maxSize: maxStoredUnits });
  /** Also those that requests still use after they have left the store. */
  readonly #valid = new WeakMap<DocumentNode, ValidDocument>();

  constructor(graph: GraphQLSchema, counts: DocumentCounts) {
    this.#graph = graph;
    this.#counts = counts;
  }

  /** Units in use, at most 100,000, and documents in the store. */
  get size(): { units: number; documents: number } {
    return { units: this.#stored.calculatedSize, documents: this.#stored.size };
  }

  has(hash: string): boolean {
    return this.#stored.has(hash);
  }

  async get(key: string): Promise<DocumentNode | undefined> {
    const found = this.#stored.get(key.slice(-hashLength));
    this.#counts[found ? 'known' : 'new']++;
    return found?.document;
  }

  /** Does nothing: Apollo Server calls it for a document that is parsed and not yet validated. `admit` stores it. */
  async set(): Promise<void> {}

  async delete(key: string): Promise<boolean> {
    return this.#stored.delete(key.slice(-hashLength));
  }

  /** Validates a document that is not yet known to be valid, and stores it. @returns the errors, of which a valid one has none */
  admit(hash: string, text: string, document: DocumentNode): readonly GraphQLError[] {
    if (this.#valid.has(document)) return [];
    const errors = validateDocument(this.#graph, document);
    if (errors.length > 0) return errors;
    const valid = { document, operations: new Map(), units: dropTokens(document) + Math.ceil(text.length / 100) };
    this.#valid.set(document, valid);
    this.#stored.set(hash, valid, { size: valid.units });
    return [];
  }

  /** An operation of an admitted document. @throws TypeError for another document */
  operationOf(document: DocumentNode, definition: OperationDefinitionNode): PreparedOperation {
    const operations = this.#valid.get(document)?.operations;
    if (!operations) throw new TypeError('The document is not validated.');
    const known = operations.get(definition);
    if (known) return known;
    const made = new PreparedOperation(this.#graph, document, definition);
    operations.set(definition, made);
    return made;
  }

  /** Updates the size of a document whose plans have grown. */
  resize(hash: string): void {
    const stored = this.#stored.peek(hash);
    if (!stored) return;
    let size = stored.units;
    for (const { plan } of stored.operations.values()) size += unitsPerField * plan.size;
    // A larger one would be refused by the store and prepared anew for every request.
    this.#stored.set(hash, stored, { size: Math.min(size, maxStoredUnits), noUpdateTTL: true });
  }
}

/** The texts of persisted queries: those of the listed operations, and those that clients have sent with their hash. */
export function persistedTexts(policy: DocumentPolicy): Cache<string> {
  const texts = new LRUCache<string, string>({
    maxSize: maxTextCharacters,
    sizeCalculation: text => text.length + hashLength,
  });
  return {
    async get(key) {
      const hash = key.slice(-hashLength);
      return policy.find(hash)?.text ?? texts.get(hash);
    },
    async set(key, text) {
      texts.set(key.slice(-hashLength), text);
    },
    async delete(key) {
      return texts.delete(key.slice(-hashLength));
    },
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
