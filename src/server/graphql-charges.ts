import { type ApolloServerPlugin, type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import type { Operation } from '../../rest-facade/engine/operation.ts';
import { isHostingWord } from '../auth/hosting-words.ts';
import type { Context } from '../context/context.ts';
import type { Allowance } from '../limits/caller-allowances.ts';
import { estimateOf, pointsFor } from '../limits/operation-cost.ts';
import { healthGraphql } from '../limits/primary-limits.ts';
import type { QueryMeasure } from '../limits/query-measure.ts';
import type { OpenRequest, RequestCost, RequestLimits, Window } from '../limits/request-limits.ts';
import { hidesWork, requestsMade } from '../limits/requests-made.ts';
import { contentOf } from './content-generating.ts';
import { dryRunOf } from './dry-run.ts';
import { rateLimited, standingHeaders } from './rate-limit-errors.ts';
import { rootFields } from './root-words.ts';

/** Points of an operation for the limit on a minute. */
const points = { query: 1, mutation: 5, subscription: 1 };

/** `dry` asks for the cost alone; `failed` did not come as far as running. */
type Course = 'runs' | 'dry' | 'failed';

/** What one operation was charged. */
interface Charged {
  open: OpenRequest;
  /** Points that were set aside. */
  charged: number;
  /** What a run costs at most. */
  estimated: number;
  nodeCount: number;
  /** Whether its window is one of the code hosting product, which headers tell about. */
  isHosting: boolean;
}

type Answering = GraphQLRequestContext<Context>;

export interface GraphqlCharges {
  plugin: ApolloServerPlugin<Context>;
  /** To be told what each operation was measured at, before it runs. */
  onMeasured(context: Context, measure: QueryMeasure): void;
}

/**
 * Counts operations of the GraphQL door: what one costs at most is set aside before it runs, and what its answer did not need
 * is given back. Introspection alone costs nothing in the hour's window: tools ask for the schema every second. A document
 * that cannot be run counts as the smallest one, after the fact; a credential that is no good counts in `Throttle`.
 * `published`: the operations of the code hosting contract, by which it is known what is of hosting.
 */
export function graphqlCharges(
  graph: GraphQLSchema,
  limits: RequestLimits,
  published: readonly Pick<Operation, 'definition' | 'fragments'>[],
): GraphqlCharges {
  // By the contract as well as by the word: `public` is a word of both products.
  const hostingFields = new Set(published.flatMap(one => [...rootFields(one.definition, one.fragments)]));
  const measures = new WeakMap<Context, QueryMeasure>();

  /** The window of an operation. What is asked of hosting counts as REST does, whoever asks; the rest by the health product's. */
  const windowFor = (allowance: Allowance, { actor }: Context, fields: ReadonlySet<string>): Window | undefined => {
    const isHosting = !allowance.isAnonymous || [...fields].some(isOfHosting);
    if (isHosting) return allowance.perHour === undefined ? undefined : limits.windowOf(allowance, 'graphql');
    const kind = actor.kind === 'person' ? 'person' : 'anonymous';
    const { limit, seconds } = healthGraphql[kind];
    return { resource: 'graphql', key: 'primary/health graphql', limit: limits.times(limit), seconds };
  };

  async function admit(answering: Answering, course: Course): Promise<Charged | GraphQLError> {
    const { contextValue: context, document, operation } = answering;
    const allowance = await limits.allowanceOf(context.actor);
    const fields = document && operation ? fieldsOf(document, operation) : new Set<string>();
    const window = windowFor(allowance, context, fields);
    const measure = course === 'failed' ? undefined : measures.get(context);
    const introspects = course === 'runs' && [...fields].every(name => name.startsWith('__'));
    const estimated = introspects ? 0 : measure ? estimateOf(measure) : 1;
    const charged = course === 'dry' ? 0 : estimated;
    const cost: RequestCost = {
      door: 'graphql',
      endpoint: '',
      points: points[(course === 'runs' && operation?.operation) || 'query'],
      content: course === 'runs' && document && operation ? contentOf(graph, document, operation) : 0,
      primary: window && { window, cost: charged },
    };
    const open = await limits.admit(allowance, cost);
    if ('refused' in open) return rateLimited(open, 429);
    const isHosting = window !== undefined && window.key !== 'primary/health graphql';
    return { open, charged, estimated, nodeCount: measure?.cost ?? 0, isHosting };
  }

  function isOfHosting(name: string): boolean {
    if (hostingFields.has(name)) return true;
    const field = graph.getQueryType()?.getFields()[name] ?? graph.getMutationType()?.getFields()[name];
    const word = field?.extensions.access;
    return typeof word === 'string' && isHostingWord(word);
  }

  function fieldsOf(document: DocumentNode, operation: OperationDefinitionNode): Set<string> {
    const fragments = document.definitions.filter(one => one.kind === Kind.FRAGMENT_DEFINITION);
    return rootFields(operation, fragments);
  }

  const plugin: ApolloServerPlugin<Context> = {
    async requestDidStart() {
      let charged: Charged | undefined;
      let refused: GraphQLError | undefined;
      return {
        /** The first hook after everything that may refuse an operation; those before it run beside each other. */
        async responseForOperation(answering) {
          const { document, operation, request, contextValue: context } = answering;
          const dryRun = dryRunOf(graph, { document, operation, variables: request.variables ?? {} });
          const admitted = await admit(answering, dryRun ? 'dry' : 'runs');
          if (admitted instanceof GraphQLError) {
            refused = admitted;
            return refusal(admitted);
          }
          charged = admitted;
          const { open, estimated, nodeCount } = admitted;
          context.operationCost = { estimated, nodeCount, standing: open.standing() };
          if (!dryRun) return null;
          const singleResult = (await dryRun(context)) as { data?: Record<string, unknown> };
          return { http: { headers: new HeaderMap(), status: 200 }, body: { kind: 'single', singleResult } };
        },
        async willSendResponse(answering) {
          const { response, contextValue: context } = answering;
          if (refused || (context as { refusal?: GraphQLError }).refusal) return;
          if (!charged) {
            const admitted = await admit(answering as Answering, 'failed');
            if (admitted instanceof GraphQLError) {
              const { http, body } = refusal(admitted);
              response.body = body;
              response.http.status = http.status;
              for (const [name, value] of http.headers) response.http.headers.set(name, value);
              return;
            }
            charged = admitted;
          }
          finish(answering as Answering, charged);
        },
      };
    },
  };

  /** Gives back what was not needed, and writes into the answer what it has cost. */
  function finish({ response, request, document, operation }: Answering, one: Charged): void {
    const { open, charged, estimated, nodeCount, isHosting } = one;
    const { body } = response;
    if (body?.kind !== 'single') {
      open.settle();
      return;
    }
    const { data, errors = [] } = body.singleResult;
    let actual = charged;
    if (charged > 1 && data && document && operation && !hidesWork(data, errors)) {
      const { variableDefinitions = [] } = operation;
      const { coerced } = getVariableValues(graph, variableDefinitions, request.variables ?? {}, { maxErrors: 1 });
      actual = Math.min(charged, pointsFor(requestsMade(graph, document, operation, data, coerced)));
    }
    const given = charged - actual;
    const standing = open.standing(given);
    const { used, remaining, limit, reset, resource } = standing ?? {};
    const resetAt = reset === undefined ? undefined : new Date(reset * 1000).toISOString();
    body.singleResult.extensions = {
      ...body.singleResult.extensions,
      cost: { estimated, actual, nodeCount, resource, limit, used, remaining, resetAt },
    };
    if (isHosting) {
      for (const [name, value] of Object.entries(standingHeaders(standing))) {
        response.http.headers.set(name.toLowerCase(), value);
      }
    }
    open.settle(given);
  }

  return { plugin, onMeasured: (context, measure) => void measures.set(context, measure) };
}

interface Refusal {
  http: { headers: HeaderMap; status: number };
  body: { kind: 'single'; singleResult: { errors: { message: string; extensions: Record<string, unknown> }[] } };
}

/** 429, which says more than the error alone, in both media types: a limit is no fault of the operation (GraphQL over HTTP, 6.4). */
function refusal({ message, extensions }: GraphQLError): Refusal {
  const { code, retryAfter, headers } = extensions;
  const fields = Object.entries(headers as Record<string, string>);
  return {
    http: { status: 429, headers: new HeaderMap(fields.map(([name, value]) => [name.toLowerCase(), value])) },
    body: { kind: 'single', singleResult: { errors: [{ message, extensions: { code, retryAfter } }] } },
  };
}
