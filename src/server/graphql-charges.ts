import { type ApolloServerPlugin, type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import type { Request, Response } from 'express';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { isoInstant } from '../../schema/vocabulary/scalars.ts';
import { isHostingScope } from '../auth/hosting-scopes.ts';
import type { Context } from '../context/context.ts';
import type { RateLimitWindow } from '../limits/admitted-request.ts';
import type { CallerQuota } from '../limits/caller-quotas.ts';
import { databaseUnitsUsed, hidesExecutedFields } from '../limits/database-units-used.ts';
import { estimateOf, pointsFor } from '../limits/operation-cost.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { healthGraphqlLimits } from '../limits/request-limit-tables.ts';
import { chargeRequest } from './charge-request.ts';
import { countContentMutations } from './content-mutations.ts';
import type { GraphqlAdmission, GraphqlContext } from './graphql-context.ts';
import { findDryRun } from './rate-limit-dry-run.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limit-errors.ts';
import { rootFieldsOf } from './root-products.ts';
import { rootFields } from './root-scopes.ts';

/** Points of an operation in the limit per minute. */
const points = { query: 1, mutation: 5, subscription: 1 };

/** Points charged before the body is read, in the primary window and in the limit per minute. */
const admissionPoints = 1;

/** CPU and database time per additional point of a document that cannot be executed. */
const microsecondsPerPoint = 10_000;

/** Points of one operation. */
interface OperationCharge {
  /** Charged in its window, including the admission. */
  charged: number;
  /** Maximum cost. */
  estimated: number;
  /** Cost to charge in the end, unless the response shows that less was needed. */
  actual: number;
  nodeCount: number;
}

type RespondingContext = GraphQLRequestContext<GraphqlContext>;

export interface GraphqlCharges {
  /** Charges one point and takes a slot before the body is read. @throws rateLimitExceeded */
  admit(context: Context, request: Request, response: Response): Promise<GraphqlAdmission>;
  plugin: ApolloServerPlugin<GraphqlContext>;
}

/**
 * Charges GraphQL operations. One point is charged before the body is read, so that a caller cannot have more documents parsed
 * and validated than points. The maximum cost of an operation is charged before it runs, and what its response did not need is
 * refunded. Introspection alone costs nothing in the end, because development tools poll the schema. A document that cannot be
 * run keeps its point and is charged its CPU and database time; an invalid credential is charged to the IP address.
 *
 * @param endpoints of the code hosting API, whose root fields are charged to hosting windows
 */
export function graphqlCharges(graph: GraphQLSchema, limiter: RateLimiter): GraphqlCharges {
  // In addition to the scopes: both products use the scope `public`.
  const hostingFields = rootFieldsOf(graph, 'hosting');

  const hostingWindow = (quota: CallerQuota): RateLimitWindow | undefined =>
    quota.perHour === undefined ? undefined : limiter.windowOf(quota, 'graphql');

  /** Without a hosting credential the window of the health API, until the operation is known to select a hosting field. */
  function admissionWindow(quota: CallerQuota): RateLimitWindow | undefined {
    if (!quota.isAnonymous) return hostingWindow(quota);
    const { limit, seconds } = healthGraphqlLimits[quota.class === 'person' ? 'person' : 'anonymous'];
    return { resource: 'graphql', key: 'primary/health graphql', limit: limiter.scaled(limit), seconds };
  }

  async function admit({ actor, usage }: Context, request: Request, response: Response): Promise<GraphqlAdmission> {
    let window: RateLimitWindow | undefined;
    const { admitted, quota } = await chargeRequest(limiter, {
      entryPoint: 'graphql',
      actor,
      points: admissionPoints,
      primary: caller => {
        window = admissionWindow(caller);
        return window && { window, cost: admissionPoints };
      },
      toError: refused => rateLimitExceeded(refused, 429),
      usage,
      connection: { request, response },
    });
    return { admitted, quota, window, refund: 0 };
  }

  /** Charges the rest of the cost, before an operation runs or its cost is reported without running it (`dry`). */
  async function charge(
    admission: GraphqlAdmission,
    { contextValue: context, document, operation }: RespondingContext,
    dry: boolean,
  ): Promise<OperationCharge | GraphQLError> {
    if (!document || !operation) return { charged: admissionPoints, estimated: 1, actual: 1, nodeCount: 0 };
    const { admitted, quota } = admission;
    const fields = fieldsOf(document, operation);
    const isOfHosting = quota.isAnonymous && [...fields].some(isHostingField);
    const window = isOfHosting ? hostingWindow(quota) : admission.window;
    const measure = context.queryMeasure;
    const introspects = !dry && [...fields].every(name => name.startsWith('__'));
    const estimated = introspects ? 0 : measure ? estimateOf(measure) : 1;
    const actual = dry ? 0 : estimated;
    const cost = window === admission.window ? Math.max(0, actual - admissionPoints) : actual;
    const more = {
      points: dry ? 0 : points[operation.operation] - admissionPoints,
      content: dry ? 0 : countContentMutations(graph, document, operation),
      primary: window && { window, cost },
    };
    if (window !== admission.window || cost > 0 || more.points > 0 || more.content > 0) {
      const refused = await admitted.charge(more);
      if (refused) return rateLimitExceeded(refused, 429);
    }
    const charged = window === admission.window ? admissionPoints + cost : cost;
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

  const plugin: ApolloServerPlugin<GraphqlContext> = {
    async requestDidStart({ contextValue }) {
      const { admission, credentialError, usage } = contextValue;
      if (!admission) return undefined;
      const began = process.threadCpuUsage();
      let charged: OperationCharge | undefined;
      let refused = false;
      return {
        /** The first hook after all hooks that may reject an operation; those run concurrently. */
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
          // The admission point of introspection and of a dry run is refunded at the end and not part of the reported cost.
          const rateLimitState = admission.admitted.state(actual === 0 ? outcome.charged : 0);
          context.operationCost = { estimated, nodeCount, rateLimitState };
          if (!dryRun) return null;
          const singleResult = await dryRun(context);
          return { http: { headers: new HeaderMap(), status: 200 }, body: { kind: 'single', singleResult } };
        },
        async willSendResponse(answering) {
          if (refused || credentialError) return;
          const { user, system } = process.threadCpuUsage(began);
          const used = user + system + usage.databaseMicroseconds;
          const surcharge = charged ? 0 : Math.floor(used / microsecondsPerPoint);
          finish(
            answering,
            admission,
            charged ?? { charged: admissionPoints, estimated: 1, actual: 1 + surcharge, nodeCount: 0 },
          );
        },
      };
    },
  };

  /** Determines the refund and writes the cost into the response. */
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
    const state = admission.admitted.state(admission.refund);
    const { used, remaining, limit, reset, resource } = state ?? {};
    const resetAt = reset === undefined ? undefined : isoInstant(new Date(reset * 1000));
    body.singleResult.extensions = {
      ...body.singleResult.extensions,
      cost: { estimated, actual, nodeCount, resource, limit, used, remaining, resetAt },
    };
    if (admission.window?.key === 'primary/health graphql') return;
    for (const [name, value] of Object.entries(rateLimitHeaders(state))) {
      response.http.headers.set(name.toLowerCase(), value);
    }
  }

  return { admit, plugin };
}

interface RefusalResponse {
  http: { headers: HeaderMap; status: number };
  body: { kind: 'single'; singleResult: { errors: { message: string; extensions: Record<string, unknown> }[] } };
}

/** Response 429 with rate-limit headers, in both media types: an exceeded limit is not an error of the operation (GraphQL over HTTP, 6.4). */
export function refusalOf({ message, extensions }: GraphQLError): RefusalResponse {
  const { code, retryAfter, headers } = extensions;
  const fields = Object.entries(headers as Record<string, string>);
  return {
    http: { status: 429, headers: new HeaderMap(fields.map(([name, value]) => [name.toLowerCase(), value])) },
    body: { kind: 'single', singleResult: { errors: [{ message, extensions: { code, retryAfter } }] } },
  };
}
