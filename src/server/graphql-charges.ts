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
import { isHostingScope } from '../auth/hosting-scopes.ts';
import type { Context } from '../context/context.ts';
import type { OpenRequest, RateLimitWindow } from '../limits/admitted-request.ts';
import type { CallerQuota } from '../limits/caller-quotas.ts';
import { databaseUnitsUsed, hidesExecutedFields } from '../limits/database-units-used.ts';
import { estimateOf, pointsFor } from '../limits/operation-cost.ts';
import type { QueryMeasure } from '../limits/query-measure.ts';
import { healthGraphqlLimits } from '../limits/request-limit-tables.ts';
import type { RequestLimiter } from '../limits/request-limiter.ts';
import { countContentMutations } from './content-mutations.ts';
import { findDryRun } from './rate-limit-dry-run.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limit-errors.ts';
import { rootFields } from './root-scopes.ts';

/** Points of an operation for the limit on a minute. */
const points = { query: 1, mutation: 5, subscription: 1 };

/** Points that every request is charged before its body is read, in its primary window and of the minute. */
const admissionPoints = 1;

/** A document that cannot be run is charged one point more for each of so many microseconds of CPU and database time. */
const microsecondsPerPoint = 10_000;

/** A request that was admitted; its operation is not known at first. */
export interface GraphqlAdmission {
  open: OpenRequest;
  allowance: CallerQuota;
  window: RateLimitWindow | undefined;
  /** To be given back when the response has ended. Negative: charged on top. */
  refund: number;
}

/** The context of a request to `/graphql`. Apollo copies its properties for each operation. */
export type GraphqlContext = Context & { refusal?: GraphQLError; admission?: GraphqlAdmission };

/** What one operation was charged. */
interface OperationCharge {
  /** In the window that it counts in, the entry included. */
  charged: number;
  /** What a run costs at most. */
  estimated: number;
  /** What it costs in the end where the answer does not say. */
  actual: number;
  nodeCount: number;
}

type RespondingContext = GraphQLRequestContext<Context>;

export interface GraphqlCharges {
  /** Takes a slot and one point before anything of the body is read; the error to answer with where that is refused. */
  admit(context: Context): Promise<GraphqlAdmission | GraphQLError>;
  plugin: ApolloServerPlugin<Context>;
  /** To be told what each operation was measured at, before it runs. */
  onMeasured(context: Context, measure: QueryMeasure): void;
}

/**
 * Counts operations of GraphQL. One point is charged at the entry, before the body is read: nobody has more documents parsed
 * and validated than points. What an operation costs at most is charged before it runs, and what its answer did not need is
 * given back. Introspection alone costs nothing in the end: tools ask for the schema every second. A document that cannot be
 * run keeps its point, and is charged what it used on top; a credential that is no good counts for its address.
 * `published`: the operations of the code hosting contract, by which it is known what is of hosting.
 */
export function graphqlCharges(
  graph: GraphQLSchema,
  limits: RequestLimiter,
  published: readonly Pick<Operation, 'definition' | 'fragments'>[],
): GraphqlCharges {
  // By the contract as well as by the word: `public` is a word of both products.
  const hostingFields = new Set(published.flatMap(one => [...rootFields(one.definition, one.fragments)]));
  const measures = new WeakMap<Context, QueryMeasure>();

  const hostingWindow = (allowance: CallerQuota): RateLimitWindow | undefined =>
    allowance.perHour === undefined ? undefined : limits.windowOf(allowance, 'graphql');

  /** Without a hosting credential: that of the health product, until it is known that something of hosting is asked for. */
  function entryWindow(allowance: CallerQuota): RateLimitWindow | undefined {
    if (!allowance.isAnonymous) return hostingWindow(allowance);
    const { limit, seconds } = healthGraphqlLimits[allowance.class === 'person' ? 'person' : 'anonymous'];
    return { resource: 'graphql', key: 'primary/health graphql', limit: limits.scaled(limit), seconds };
  }

  async function admit({ actor, usage }: Context): Promise<GraphqlAdmission | GraphQLError> {
    const allowance = await limits.quotaOf(actor);
    const window = entryWindow(allowance);
    const primary = window && { window, cost: admissionPoints };
    const cost = { door: 'graphql', endpoint: '', points: admissionPoints, content: 0, primary } as const;
    const open = await limits.admit(allowance, cost, usage);
    return 'refused' in open ? rateLimitExceeded(open, 429) : { open, allowance, window, refund: 0 };
  }

  /** Charges what the entry has not: before an operation runs, or is asked for its cost alone (`dry`). */
  async function charge(
    admission: GraphqlAdmission,
    { contextValue: context, document, operation }: RespondingContext,
    dry: boolean,
  ): Promise<OperationCharge | GraphQLError> {
    if (!document || !operation) return { charged: admissionPoints, estimated: 1, actual: 1, nodeCount: 0 };
    const { open, allowance } = admission;
    const fields = fieldsOf(document, operation);
    const isOfHosting = allowance.isAnonymous && [...fields].some(isHostingField);
    const window = isOfHosting ? hostingWindow(allowance) : admission.window;
    const measure = measures.get(context);
    const introspects = !dry && [...fields].every(name => name.startsWith('__'));
    const estimated = introspects ? 0 : measure ? estimateOf(measure) : 1;
    const actual = dry ? 0 : estimated;
    const wanted = window === admission.window ? Math.max(0, actual - admissionPoints) : actual;
    const more = {
      points: dry ? 0 : points[operation.operation] - admissionPoints,
      content: dry ? 0 : countContentMutations(graph, document, operation),
      primary: window && { window, cost: wanted },
    };
    if (window !== admission.window || wanted > 0 || more.points > 0 || more.content > 0) {
      const refused = await open.charge(more);
      if (refused) return rateLimitExceeded(refused, 429);
    }
    const charged = window === admission.window ? admissionPoints + wanted : wanted;
    admission.window = window;
    return { charged, estimated, actual, nodeCount: measure?.cost ?? 0 };
  }

  function isHostingField(name: string): boolean {
    if (hostingFields.has(name)) return true;
    const field = graph.getQueryType()?.getFields()[name] ?? graph.getMutationType()?.getFields()[name];
    const word = field?.extensions.access;
    return typeof word === 'string' && isHostingScope(word);
  }

  function fieldsOf(document: DocumentNode, operation: OperationDefinitionNode): Set<string> {
    const fragments = document.definitions.filter(one => one.kind === Kind.FRAGMENT_DEFINITION);
    return rootFields(operation, fragments);
  }

  const plugin: ApolloServerPlugin<Context> = {
    async requestDidStart({ contextValue }) {
      const { admission, refusal, usage } = contextValue as GraphqlContext;
      if (!admission) return undefined;
      const began = process.threadCpuUsage();
      let charged: OperationCharge | undefined;
      let refused = false;
      return {
        /** The first hook after everything that may refuse an operation; those before it run beside each other. */
        async responseForOperation(answering) {
          const { document, operation, request, contextValue: context } = answering;
          const dryRun = findDryRun(graph, { document, operation, variables: request.variables ?? {} });
          const outcome = await charge(admission, answering, dryRun !== undefined);
          if (outcome instanceof GraphQLError) {
            refused = true;
            return refusalOf(outcome);
          }
          charged = outcome;
          const { estimated, nodeCount, actual } = outcome;
          // The entry point of introspection and of a dry run is refunded at the end, and is not part of the reported cost.
          const standing = admission.open.state(actual === 0 ? outcome.charged : 0);
          context.operationCost = { estimated, nodeCount, standing };
          if (!dryRun) return null;
          const singleResult = await dryRun(context);
          return { http: { headers: new HeaderMap(), status: 200 }, body: { kind: 'single', singleResult } };
        },
        async willSendResponse(answering) {
          if (refused || refusal) return;
          const { user, system } = process.threadCpuUsage(began);
          const used = user + system + usage.databaseMicroseconds;
          const surcharge = charged ? 0 : Math.floor(used / microsecondsPerPoint);
          finish(
            answering as RespondingContext,
            admission,
            charged ?? { charged: admissionPoints, estimated: 1, actual: 1 + surcharge, nodeCount: 0 },
          );
        },
      };
    },
  };

  /** Says what is given back at the end, and writes into the answer what it has cost. */
  function finish(
    { response, request, document, operation }: RespondingContext,
    admission: GraphqlAdmission,
    one: OperationCharge,
  ): void {
    const { charged, estimated, nodeCount } = one;
    const { body } = response;
    if (body?.kind !== 'single') return;
    const { data, errors = [] } = body.singleResult;
    let { actual } = one;
    if (actual > 1 && data && document && operation && !hidesExecutedFields(data, errors)) {
      const { variableDefinitions = [] } = operation;
      const { coerced } = getVariableValues(graph, variableDefinitions, request.variables ?? {}, { maxErrors: 1 });
      actual = Math.min(actual, pointsFor(databaseUnitsUsed(graph, document, operation, data, coerced)));
    }
    admission.refund = charged - actual;
    const standing = admission.open.state(admission.refund);
    const { used, remaining, limit, reset, resource } = standing ?? {};
    const resetAt = reset === undefined ? undefined : new Date(reset * 1000).toISOString();
    body.singleResult.extensions = {
      ...body.singleResult.extensions,
      cost: { estimated, actual, nodeCount, resource, limit, used, remaining, resetAt },
    };
    if (admission.window?.key === 'primary/health graphql') return;
    for (const [name, value] of Object.entries(rateLimitHeaders(standing))) {
      response.http.headers.set(name.toLowerCase(), value);
    }
  }

  return { admit, plugin, onMeasured: (context, measure) => void measures.set(context, measure) };
}

interface RefusalResponse {
  http: { headers: HeaderMap; status: number };
  body: { kind: 'single'; singleResult: { errors: { message: string; extensions: Record<string, unknown> }[] } };
}

/** 429, which says more than the error alone, in both media types: a limit is no fault of the operation (GraphQL over HTTP, 6.4). */
export function refusalOf({ message, extensions }: GraphQLError): RefusalResponse {
  const { code, retryAfter, headers } = extensions;
  const fields = Object.entries(headers as Record<string, string>);
  return {
    http: { status: 429, headers: new HeaderMap(fields.map(([name, value]) => [name.toLowerCase(), value])) },
    body: { kind: 'single', singleResult: { errors: [{ message, extensions: { code, retryAfter } }] } },
  };
}
