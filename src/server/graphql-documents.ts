import { type ApolloServerOptions, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { type DocumentNode, GraphQLError, type GraphQLFormattedError, type GraphQLSchema, Kind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { nextEventLoopTurn } from '../../rest-facade/engine/event-loop-turn.ts';
import { validateDocument } from '../limits/validate-document.ts';
import type { GraphqlContext } from './graphql-context.ts';

type DocumentStore = NonNullable<ApolloServerOptions<GraphqlContext>['documentStore']>;

export interface GraphqlDocuments {
  /** Must precede all plugins that read the operation. */
  plugin: ApolloServerPlugin<GraphqlContext>;
  /** Cache of valid documents. Apollo neither parses nor validates a cached document. */
  store: DocumentStore;
}

/**
 * Size of the cache in units: one per token, which takes up to 500 bytes when parsed, and one per 100 characters of text.
 * Apollo's own store serializes every new document to JSON to determine its size.
 */
const maxCachedUnits = 100_000;

const empty = (): DocumentNode => ({ kind: Kind.DOCUMENT, definitions: [] });

/**
 * Replaces Apollo's validation (`dangerouslyDisableValidation`), which is unbounded, by `validateDocument`. Apollo has no hook
 * that ends a request with several errors before the operation is resolved, so an invalid document is replaced by an empty one,
 * which every other plugin skips, and `responseForOperation` sends its errors.
 */
export function graphqlDocuments(graph: GraphQLSchema): GraphqlDocuments {
  const invalid = new WeakMap<DocumentNode, GraphQLFormattedError[]>();
  const valid = new LRUCache<string, DocumentNode>({ maxSize: maxCachedUnits, sizeCalculation: sizeOf });
  const plugin: ApolloServerPlugin<GraphqlContext> = {
    async requestDidStart({ request }) {
      const { extensions } = request;
      // Apollo reads any value as a hash and overflows the stack on a list nested 10,000 deep. It rejects version 0.
      if (extensions && 'persistedQuery' in extensions && !isPersistedQuery(extensions.persistedQuery)) {
        request.extensions = { ...extensions, persistedQuery: { version: 0 } };
      }
      return {
        async parsingDidStart(parsing) {
          // Here and not in the end hook of parsing, for which Apollo does not wait.
          await nextEventLoopTurn();
          return async error => {
            const document = error ? undefined : (parsing.document as DocumentNode | undefined);
            const errors = document ? validateDocument(graph, document) : [];
            if (errors.length === 0) return;
            const replaced = empty();
            invalid.set(replaced, errors.map(formatInvalid));
            Object.assign(parsing, { document: replaced });
          };
        },
        async didResolveOperation({ document, operation, request: { operationName } }) {
          if (operation || invalid.has(document)) return;
          const message = operationName
            ? `Unknown operation named "${operationName}".`
            : 'Must provide operation name if query contains multiple operations.';
          throw new GraphQLError(message, {
            extensions: { code: 'OPERATION_RESOLUTION_FAILURE', http: { status: 400 } },
          });
        },
        async responseForOperation({ document }) {
          const errors = invalid.get(document);
          if (!errors) return null;
          return {
            http: { headers: new HeaderMap(), status: 400 },
            body: { kind: 'single', singleResult: { errors } },
          };
        },
      };
    },
  };
  return {
    plugin,
    store: {
      get: async key => valid.get(key),
      async set(key, document) {
        if (!invalid.has(document)) valid.set(key, document);
      },
      delete: async key => valid.delete(key),
    },
  };
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

/** The protocol of automatic persisted queries: https://www.apollographql.com/docs/apollo-server/performance/apq */
function isPersistedQuery(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { version, sha256Hash } = value as { version?: unknown; sha256Hash?: unknown };
  return version === 1 && typeof sha256Hash === 'string';
}

function sizeOf({ loc }: DocumentNode): number {
  let tokens = 1;
  for (let token = loc?.startToken; token; token = token.next ?? undefined) tokens++;
  return tokens + Math.ceil((loc?.source.body.length ?? 0) / 100);
}
