import { HeaderMap } from '@apollo/server';
import type { Request, Response } from 'express';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { preciseInstant } from '../../schema/vocabulary/scalars.ts';
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
import { answerOf, type GraphqlAnswer } from './graphql-response.ts';
import type { PreparedOperation, SelectedOperation } from './prepared-operation.ts';
import { findDryRun } from './rate-limit-dry-run.ts';
import { rateLimitExceeded, rateLimitHeaders } from './rate-limit-errors.ts';
import { rootFieldsOf } from './root-products.ts';

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

/** What charging needs to know of an operation, whatever the request. */
interface OperationFacts {
  isOfHosting: boolean;
  introspects: boolean;
  /** Number of created objects that other users see. */
  content: number;
}

/** Charges of one request. */
interface RequestCharges {
  /** Charges the operation before it runs. Returns the answer if it reports its cost without running. @throws rateLimitExceeded */
  charge(operation: SelectedOperation): Promise<GraphqlAnswer | undefined>;
  /** Determines the refund and writes the cost into the answer. */
  finish(answer: GraphqlAnswer, operation: SelectedOperation | undefined): void;
}

export interface GraphqlCharges {
  /** Charges one point and takes a slot before the body is read. @throws rateLimitExceeded */
  admit(context: Context, request: Request, response: Response): Promise<GraphqlAdmission>;
  /** Starts to measure a request; undefined for one that was not admitted. */
  start(context: GraphqlContext): RequestCharges | undefined;
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

  const factsOfOperations = new WeakMap<PreparedOperation, OperationFacts>();

  function factsOf(prepared: PreparedOperation): OperationFacts {
    const known = factsOfOperations.get(prepared);
    if (known) return known;
    const fields = [...prepared.rootFields];
    const facts = {
      isOfHosting: fields.some(isHostingField),
      introspects: fields.every(name => name.startsWith('__')),
      content: countContentMutations(graph, prepared.document, prepared.operation),
    };
    factsOfOperations.set(prepared, facts);
    return facts;
  }

  function isHostingField(name: string): boolean {
    if (hostingFields.has(name)) return true;
    const field = graph.getQueryType()?.getFields()[name] ?? graph.getMutationType()?.getFields()[name];
    const word = field?.extensions.access;
    return typeof word === 'string' && isHostingScope(word);
  }

  /** Charges the rest of the cost, before an operation runs or its cost is reported without running it (`dry`). */
  async function charge(
    admission: GraphqlAdmission,
    { prepared, measure }: SelectedOperation,
    dry: boolean,
  ): Promise<OperationCharge | GraphQLError> {
    const { admitted, quota } = admission;
    const facts = factsOf(prepared);
    const window = quota.isAnonymous && facts.isOfHosting ? hostingWindow(quota) : admission.window;
    const estimated = !dry && facts.introspects ? 0 : measure ? estimateOf(measure) : 1;
    const actual = dry ? 0 : estimated;
    const cost = window === admission.window ? Math.max(0, actual - admissionPoints) : actual;
    const more = {
      points: dry ? 0 : points[prepared.operation.operation] - admissionPoints,
      content: dry ? 0 : facts.content,
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

  function start(context: GraphqlContext): RequestCharges | undefined {
    const { admission, credentialError, usage } = context;
    if (!admission) return undefined;
    const began = process.threadCpuUsage();
    let charged: OperationCharge | undefined;
    let refused = false;
    return {
      async charge(operation) {
        const dryRun = findDryRun(graph, operation);
        const outcome = await charge(admission, operation, dryRun !== undefined);
        if (outcome instanceof GraphQLError) {
          refused = true;
          throw refusalOf(outcome);
        }
        charged = outcome;
        const { estimated, nodeCount, actual } = outcome;
        // The admission point of introspection and of a dry run is refunded at the end and not part of the reported cost.
        const rateLimitState = admission.admitted.state(actual === 0 ? outcome.charged : 0);
        context.operationCost = { estimated, nodeCount, rateLimitState };
        if (!dryRun) return undefined;
        return answerOf(200, await dryRun(context));
      },
      finish(answer, operation) {
        if (refused || credentialError) return;
        let one = charged;
        if (!one) {
          const { user, system } = process.threadCpuUsage(began);
          const used = user + system + usage.databaseMicroseconds;
          const surcharge = Math.floor(used / microsecondsPerPoint);
          one = { charged: admissionPoints, estimated: 1, actual: 1 + surcharge, nodeCount: 0 };
        }
        finish(answer, operation, admission, one);
      },
    };
  }

  function finish(
    { http, result }: GraphqlAnswer,
    operation: SelectedOperation | undefined,
    admission: GraphqlAdmission,
    { charged, estimated, nodeCount, actual: maximum }: OperationCharge,
  ): void {
    const { data, errors = [] } = result;
    let actual = maximum;
    if (actual > 1 && data && operation?.coerced && !hidesExecutedFields(data, errors)) {
      const { prepared, coerced } = operation;
      actual = Math.min(
        actual,
        pointsFor(databaseUnitsUsed(graph, prepared.document, prepared.operation, data, coerced)),
      );
    }
    admission.refund = charged - actual;
    const state = admission.admitted.state(admission.refund);
    const { used, remaining, limit, reset, resource } = state ?? {};
    const resetAt = reset === undefined ? undefined : preciseInstant(new Date(reset * 1000));
    const cost = { estimated, actual, nodeCount, resource, limit, used, remaining, resetAt };
    result.extensions = { ...result.extensions, cost };
    if (admission.window?.key === 'primary/health graphql') return;
    for (const [name, value] of Object.entries(rateLimitHeaders(state))) http.headers.set(name, value);
  }

  return { admit, start };
}

/** An exceeded limit as 429 with its headers, in both media types: it is not an error of the operation (GraphQL over HTTP, 6.4). */
export function refusalOf({ message, extensions }: GraphQLError): GraphQLError {
  const { code, retryAfter } = extensions;
  const headers = new HeaderMap(Object.entries(extensions.headers as Record<string, string>));
  return new GraphQLError(message, {
    extensions: { code, retryAfter, http: { status: 429, headers: headers as never } },
  });
}
