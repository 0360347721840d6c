import type { IncomingMessage } from 'node:http';
import type { ApolloServerPlugin } from '@apollo/server';
import type { Request } from 'express';
import { GraphQLError, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import type { Operation } from '../../rest-facade/engine/operation.ts';
import type { AccessWord } from '../../schema/vocabulary/access.ts';
import type { Actor } from '../auth/actor.ts';
import { actorOf } from '../auth/credential.ts';
import { hostingActorOf, isForHosting } from '../auth/credentials/hosting-credential.ts';
import { rules } from '../auth/rules.ts';
import { type Context, type ContextSource, contextFor, type Live } from '../context/context.ts';
import { maxLargeBytes } from '../limits/large-values.ts';
import { chargeBadCredential } from './health-charges.ts';
import { hostingBase } from './hosting-callers.ts';
import { noteCaller } from './hosting-credential-headers.ts';
import { isOpen, rootWords } from './root-words.ts';

/** How a request of each door becomes a context. */
export interface Contexts {
  /**
   * Rejects with the reason when a credential was sent that is no good, unless the operation does not look at it,
   * and when the access words of the operation let the caller not in. `healthCharges` asks afterwards for the limits.
   * `offered`: what the path has for other methods, where it has nothing for the one of the request.
   */
  health(
    request: IncomingMessage,
    operation: Operation | undefined,
    offered: readonly Operation[],
    live: Live | undefined,
  ): Promise<Context>;
  /**
   * The code hosting API has credentials of its own, and none of the health product opens anything there. Rejects for one
   * that is no good; `admitHosting` is asked afterwards whether the caller may use the operation at all.
   */
  hosting(request: IncomingMessage, operation: Operation | undefined): Promise<Context>;
  /** Throws when the access words of the operation do not let the caller in. */
  admitHosting(context: Context, operation: Operation | undefined, offered: readonly Operation[]): void;
  /** Never rejects for a credential: which fields are asked for is not known yet. See `credentialPlugin`. */
  graphql(request: IncomingMessage): Promise<Context>;
}

interface Asked {
  context: Context;
  /** Why the credential is not believed; the actor is anonymous then. */
  refusal: GraphQLError | undefined;
}

export function contextsOf(
  graph: GraphQLSchema,
  source: ContextSource,
  origin: (request: IncomingMessage) => string,
): Contexts {
  const healthActor = (request: IncomingMessage): Promise<Actor> => {
    const tools = { read: source.database.pools.authentication.read, tokens: source.tokens, now: source.clock() };
    return actorOf(request, (request as Request).ip ?? '', tools);
  };
  const hostingActor = (request: IncomingMessage): Promise<Actor> => {
    const tools = { credentials: source.credentials, throttle: source.throttle, now: source.clock() };
    return hostingActorOf(request, (request as Request).ip ?? '', tools);
  };
  const ask = async (
    request: IncomingMessage,
    actor: (request: IncomingMessage) => Promise<Actor>,
    details: { live?: Live | undefined; isMutation?: boolean; maxLargeBytes?: number } = {},
  ): Promise<Asked> => {
    const ip = (request as Request).ip ?? '';
    try {
      return { context: contextFor(source, await actor(request), origin(request), details), refusal: undefined };
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { context: contextFor(source, { kind: 'anonymous', ip }, origin(request), details), refusal: error };
    }
  };
  const known = new WeakMap<Operation, ReadonlySet<string>>();
  const wordsOf = (operation: Operation): ReadonlySet<string> => {
    const words = known.get(operation) ?? rootWords(graph, operation.definition, operation.fragments);
    known.set(operation, words);
    return words;
  };
  const demandEntry = (context: Context, operation: Operation | undefined, offered: readonly Operation[]): void => {
    // Decided here and not only before the resolver: who may not is told so before the body is read and judged.
    const verdict = operation ? verdictOn(wordsOf(operation), context) : true;
    if (verdict !== true) throw verdict;
    // Nor does a path on which the caller may do nothing tell which methods it has.
    const verdicts = offered.map(one => verdictOn(wordsOf(one), context));
    const [first] = verdicts;
    if (first !== undefined && first !== true && !verdicts.includes(true)) throw first;
  };
  return {
    async hosting(request, operation) {
      const from = origin(request);
      const context = contextFor(source, await hostingActor(request), from, {
        base: hostingBase(request, from),
        isMutation: isMutationOperation(operation),
      });
      noteCaller(request, context.actor, operation ? wordsOf(operation) : new Set());
      return context;
    },
    admitHosting(context, operation, offered) {
      demandEntry(context, operation, offered);
    },
    async health(request, operation, offered, live) {
      const { context, refusal } = await ask(request, healthActor, {
        live,
        isMutation: isMutationOperation(operation),
      });
      if (refusal && !(operation && isOpen(wordsOf(operation)))) {
        if (source.limits) await chargeBadCredential(source.limits, request as Request);
        throw refusal;
      }
      demandEntry(context, operation, offered);
      return context;
    },
    async graphql(request) {
      const isHosting = isForHosting(request.headers.authorization ?? '');
      const { context, refusal } = await ask(request, isHosting ? hostingActor : healthActor, {
        maxLargeBytes: maxLargeBytes.graphql,
      });
      return refusal ? Object.assign(context, { refusal }) : context;
    },
  };
}

const isMutationOperation = (operation: Operation | undefined): boolean =>
  operation?.definition.operation === OperationTypeNode.MUTATION;

/** Whether all of the words let the caller in, or the failure to answer with. */
function verdictOn(words: ReadonlySet<string>, context: Context): true | Error {
  for (const word of words) {
    const verdict = rules[word as AccessWord].rule({}, context);
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
          if (isOpen(rootWords(graph, operation, fragments))) return;
          response.http.headers.set('www-authenticate', 'Bearer realm="api"');
          throw refusal;
        },
      };
    },
  };
}
