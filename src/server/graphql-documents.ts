import { type ApolloServerOptions, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { type DocumentNode, GraphQLError, type GraphQLFormattedError, type GraphQLSchema, Kind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { nextEventLoopTurn } from '../../rest-facade/engine/event-loop-turn.ts';
import { validateDocument } from '../limits/validate-document.ts';
import type { DocumentPolicy } from './document-policy.ts';
import type { GraphqlContext } from './graphql-context.ts';

type DocumentStore = NonNullable<ApolloServerOptions<GraphqlContext>['documentStore']>;
type TextStore = NonNullable<
  Exclude<ApolloServerOptions<GraphqlContext>['persistedQueries'], false | undefined>['cache']
>;

export interface GraphqlDocuments {
  /** Must precede all plugins that read the operation. */
  plugin: ApolloServerPlugin<GraphqlContext>;
  /** Cache of valid documents. Apollo neither parses nor validates a cached document. */
  store: DocumentStore;
  /** Texts of persisted queries: those of listed operations, and those that clients have sent. */
  texts: TextStore;
}

/**
 * Size of the cache in units: one per token, which takes up to 500 bytes when parsed, and one per 100 characters of text.
 * Apollo's own store serializes every new document to JSON to determine its size.
 */
const maxCachedUnits = 100_000;

/** Maximum characters of persisted queries that clients have sent. */
const maxTextCharacters = 10_000_000;

/** Apollo's prefix of the keys of persisted queries. */
const textPrefix = 'apq:';

const empty = (): DocumentNode => ({ kind: Kind.DOCUMENT, definitions: [] });

/**
 * Replaces Apollo's validation (`dangerouslyDisableValidation`), which is unbounded, by `validateDocument`. Apollo has no hook
 * that ends a request with several errors before the operation is resolved, so an invalid document is replaced by an empty one,
 * which every other plugin skips, and `responseForOperation` sends its errors.
 */
export function graphqlDocuments(graph: GraphQLSchema, policy: DocumentPolicy): GraphqlDocuments {
  const invalid = new WeakMap<DocumentNode, GraphQLFormattedError[]>();
  const valid = new LRUCache<string, DocumentNode>({ maxSize: maxCachedUnits, sizeCalculation: sizeOf });
  const texts = new LRUCache<string, string>({ maxSize: maxTextCharacters, sizeCalculation: text => text.length + 64 });
  const plugin: ApolloServerPlugin<GraphqlContext> = {
    async requestDidStart({ request, contextValue: { actor, credentialError } }) {
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
            const isRefused = policy.refusal(actor, parsing.source) !== undefined;
            const errors = document && !isRefused ? validateDocument(graph, document) : [];
            if (errors.length === 0 && !isRefused) return;
            const replaced = empty();
            invalid.set(replaced, errors.map(formatInvalid));
            Object.assign(parsing, { document: replaced });
          };
        },
        async didResolveOperation({ document, operation, source, response, request: { operationName } }) {
          const refusal = policy.refusal(actor, source);
          if (refusal) {
            if (credentialError) response.http.headers.set('www-authenticate', 'Bearer realm="api"');
            throw credentialError ?? refusal;
          }
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
      get: async key => policy.find(key)?.document ?? valid.get(key),
      async set(key, document) {
        if (!invalid.has(document)) valid.set(key, document);
      },
      delete: async key => valid.delete(key),
    },
    texts: {
      get: async key => policy.find(key.slice(textPrefix.length))?.text ?? texts.get(key),
      async set(key, text) {
        texts.set(key, text);
      },
      delete: async key => texts.delete(key),
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
