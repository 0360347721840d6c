import type { IncomingMessage } from 'node:http';
import type { ApolloServerPlugin } from '@apollo/server';
import type { Request } from 'express';
import { GraphQLError, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import type { Operation } from '../../rest-facade/engine/operation.ts';
import type { AccessScope } from '../../schema/vocabulary/access.ts';
import { accessRules } from '../auth/access-rules.ts';
import type { Actor } from '../auth/actor.ts';
import { authenticateHosting, isHostingCredential } from '../auth/credentials/hosting-credential.ts';
import { authenticateHealth } from '../auth/health-credential.ts';
import { type Context, type ContextDependencies, createContext, type EventStream } from '../context/context.ts';
import { maxLargeBytes } from '../limits/large-values.ts';
import { chargeBadCredential } from './health-charges.ts';
import { hostingBaseUrl } from './hosting-callers.ts';
import { noteCaller } from './hosting-credential-headers.ts';
import { ignoresCredential, rootScopes } from './root-scopes.ts';

/** How a request of each door becomes a context. */
export interface ContextFactory {
  /**
   * Rejects with the reason when a credential was sent that is no good, unless the operation does not look at it,
   * and when the access words of the operation let the caller not in. `healthCharges` asks afterwards for the limits.
   * `offered`: what the path has for other methods, where it has nothing for the one of the request.
   */
  health(
    request: IncomingMessage,
    operation: Operation | undefined,
    offered: readonly Operation[],
    live: EventStream | undefined,
  ): Promise<Context>;
  /**
   * The code hosting API has credentials of its own, and none of the health product opens anything there. Rejects for one
   * that is no good; `admitHosting` is asked afterwards whether the caller may use the operation at all.
   */
  hosting(request: IncomingMessage, operation: Operation | undefined): Promise<Context>;
  /** Throws when the access words of the operation do not let the caller in. */
  assertHostingAccess(context: Context, operation: Operation | undefined, offered: readonly Operation[]): void;
  /** Never rejects for a credential: which fields are asked for is not known yet. See `credentialPlugin`. */
  graphql(request: IncomingMessage): Promise<Context>;
}

interface AuthenticatedContext {
  context: Context;
  /** Why the credential is not believed; the actor is anonymous then. */
  refusal: GraphQLError | undefined;
}

export function createContextFactory(
  graph: GraphQLSchema,
  source: ContextDependencies,
  origin: (request: IncomingMessage) => string,
): ContextFactory {
  const healthActor = (request: IncomingMessage): Promise<Actor> => {
    const tools = { read: source.database.pools.authentication.read, tokens: source.tokens, now: source.clock() };
    return authenticateHealth(request, (request as Request).ip ?? '', tools);
  };
  const hostingActor = (request: IncomingMessage): Promise<Actor> => {
    const tools = { credentials: source.credentials, throttle: source.throttle, now: source.clock() };
    return authenticateHosting(request, (request as Request).ip ?? '', tools);
  };
  const authenticate = async (
    request: IncomingMessage,
    actor: (request: IncomingMessage) => Promise<Actor>,
    details: { eventStream?: EventStream | undefined; isMutation?: boolean; maxLargeBytes?: number } = {},
  ): Promise<AuthenticatedContext> => {
    const ip = (request as Request).ip ?? '';
    try {
      return { context: createContext(source, await actor(request), origin(request), details), refusal: undefined };
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { context: createContext(source, { kind: 'anonymous', ip }, origin(request), details), refusal: error };
    }
  };
  const known = new WeakMap<Operation, ReadonlySet<string>>();
  const scopesOf = (operation: Operation): ReadonlySet<string> => {
    const words = known.get(operation) ?? rootScopes(graph, operation.definition, operation.fragments);
    known.set(operation, words);
    return words;
  };
  const assertAccess = (context: Context, operation: Operation | undefined, offered: readonly Operation[]): void => {
    // Decided here and not only before the resolver: who may not is told so before the body is read and judged.
    const verdict = operation ? accessResult(scopesOf(operation), context) : true;
    if (verdict !== true) throw verdict;
    // Nor does a path on which the caller may do nothing tell which methods it has.
    const verdicts = offered.map(one => accessResult(scopesOf(one), context));
    const [first] = verdicts;
    if (first !== undefined && first !== true && !verdicts.includes(true)) throw first;
  };
  return {
    async hosting(request, operation) {
      const from = origin(request);
      const context = createContext(source, await hostingActor(request), from, {
        apiBaseUrl: hostingBaseUrl(request, from),
        isMutation: isMutationOperation(operation),
      });
      noteCaller(request, context.actor, operation ? scopesOf(operation) : new Set());
      return context;
    },
    assertHostingAccess(context, operation, offered) {
      assertAccess(context, operation, offered);
    },
    async health(request, operation, offered, live) {
      const { context, refusal } = await authenticate(request, healthActor, {
        eventStream: live,
        isMutation: isMutationOperation(operation),
      });
      if (refusal && !(operation && ignoresCredential(scopesOf(operation)))) {
        if (source.limits) await chargeBadCredential(source.limits, request as Request);
        throw refusal;
      }
      assertAccess(context, operation, offered);
      return context;
    },
    async graphql(request) {
      const isHosting = isHostingCredential(request.headers.authorization ?? '');
      const { context, refusal } = await authenticate(request, isHosting ? hostingActor : healthActor, {
        maxLargeBytes: maxLargeBytes.graphql,
      });
      return refusal ? Object.assign(context, { refusal }) : context;
    },
  };
}

const isMutationOperation = (operation: Operation | undefined): boolean =>
  operation?.definition.operation === OperationTypeNode.MUTATION;

/** Whether all of the words let the caller in, or the failure to answer with. */
function accessResult(words: ReadonlySet<string>, context: Context): true | Error {
  for (const word of words) {
    const verdict = accessRules[word as AccessScope].rule({}, context);
    if (verdict !== true) return verdict;
  }
  return true;
}

/** Refuses an operation whose credential is no good, once it is known what it asks for. 401, before anything runs. */
export function credentialPlugin(graph: GraphQLSchema): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ contextValue, operation, document, response }) {
          const { refusal } = contextValue as Context & { refusal?: GraphQLError };
          if (!refusal || !operation) return;
          const fragments = document.definitions.filter(one => one.kind === Kind.FRAGMENT_DEFINITION);
          if (ignoresCredential(rootScopes(graph, operation, fragments))) return;
          response.http.headers.set('www-authenticate', 'Bearer realm="api"');
          throw refusal;
        },
      };
    },
  };
}
