import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Operation } from 'operation-rest';
import type { AccessScope } from '../../schema/vocabulary/access.ts';
import { decideAccess } from '../auth/access-rules.ts';
import type { Actor } from '../auth/actor.ts';
import { parseAuthorization } from '../auth/authorization-header.ts';
import { countsAlone } from '../auth/check-hosting-scope.ts';
import { authenticateHosting, isHostingCredential } from '../auth/credentials/hosting-credential.ts';
import { authenticateHealth } from '../auth/health-credential.ts';
import { parseTokenKind } from '../auth/hosting-token.ts';
import { type Context, type ContextDependencies, createContext, type EventStream } from '../context/context.ts';
import { maxLargeBytes } from '../limits/large-values.ts';
import { problemErrorOf } from './error-responses.ts';
import type { GraphqlContext } from './graphql-context.ts';
import { chargeBadCredential } from './health-charges.ts';
import { hostingBaseUrl } from './hosting-callers.ts';
import type { operationFacts } from './operation-facts.ts';
import type { PreparedOperation } from './prepared-operation.ts';
import { findRequestState, type RequestState } from './request-state.ts';
import { ignoresCredential, isOfService, rootScopes } from './root-scopes.ts';

/** Authenticates the caller of a request once and creates the context that carries it. */
export interface ContextFactory {
  /**
   * @param offered operations of other methods of the path, if it has none for the method of the request
   * @throws GraphQLError of an invalid credential, unless the operation ignores it
   */
  health(
    request: IncomingMessage,
    operation: Operation | undefined,
    offered: readonly Operation[],
    eventStream: EventStream | undefined,
  ): Promise<Context>;
  /** Credentials of the health API have no rights here. @throws GraphQLError of an invalid credential */
  hosting(request: IncomingMessage, operation: Operation | undefined): Promise<Context>;
  /** The caller of git, which sends a token as a password. @throws GraphQLError of an invalid credential */
  git(request: IncomingMessage): Promise<Context>;
  /** Checks the access scopes of the operation. Rejects with a GraphQLError. */
  assertAccess(context: Context, operation: Operation | undefined, offered: readonly Operation[]): Promise<void>;
  /** Does not throw for an invalid credential, because the fields are unknown: see `credentialCheck`. */
  graphql(request: IncomingMessage): Promise<GraphqlContext>;
  /** The same for paths outside of the APIs, such as downloads. @throws ProblemError (403) for a service credential */
  otherPath(request: IncomingMessage): Promise<GraphqlContext>;
}

export function createContextFactory(
  factsOf: ReturnType<typeof operationFacts>,
  dependencies: ContextDependencies,
  origin: (request: IncomingMessage) => string,
): ContextFactory {
  const { credentials, database, tokens, clock, rateLimiter } = dependencies;
  const healthActor = (request: IncomingMessage): Promise<Actor> =>
    authenticateHealth(request, ipOf(request), { read: database.pools.authentication.read, tokens, now: clock() });
  const hostingActor = (request: IncomingMessage): Promise<Actor> =>
    authenticateHosting(request, ipOf(request), { credentials, rateLimiter, now: clock() });
  /** The actor is anonymous if the credential is invalid. */
  const authenticate = async (
    request: IncomingMessage,
    actorOf: (request: IncomingMessage) => Promise<Actor>,
  ): Promise<{ actor: Actor; credentialError?: GraphQLError }> => {
    try {
      return { actor: await actorOf(request) };
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { actor: anonymous(request), credentialError: error };
    }
  };
  const assertAccess: ContextFactory['assertAccess'] = async (context, operation, offered) => {
    assertNoService(context.actor, factsOf(operation).isOfService);
    // Checked before the body is read, and again by the resolver.
    const result = await accessResult(factsOf(operation).scopes.required, context);
    if (result !== true) throw result;
    // A path on which the caller may do nothing does not reveal its methods.
    const results = await Promise.all(offered.map(one => accessResult(factsOf(one).scopes.required, context)));
    const [first] = results;
    if (first !== undefined && first !== true && !results.includes(true)) throw first;
  };
  const graphql: ContextFactory['graphql'] = async request => {
    const isHosting = isHostingCredential(request.headers.authorization ?? '');
    const { actor, credentialError } = await authenticate(request, isHosting ? hostingActor : healthActor);
    const context = createContext(dependencies, actor, origin(request), {
      maxLargeBytes: maxLargeBytes.graphql,
      ...limitsOf(request, actor),
      userAgent: request.headers['user-agent'],
    });
    return credentialError ? Object.assign(context, { credentialError }) : context;
  };
  return {
    assertAccess,
    graphql,
    async otherPath(request) {
      const context = await graphql(request);
      if (context.actor.kind === 'service') throw problemErrorOf(countsAlone());
      return context;
    },
    async hosting(request, operation) {
      const from = origin(request);
      const actor = await hostingActor(request);
      return createContext(dependencies, actor, from, {
        apiBaseUrl: hostingBaseUrl(request, from),
        isMutation: factsOf(operation).isMutation,
        ...limitsOf(request, actor),
      });
    },
    async git(request) {
      const actor = await hostingActor(request);
      assertNoService(actor);
      return createContext(dependencies, actor, origin(request), limitsOf(request, actor));
    },
    async health(request, operation, offered, eventStream) {
      const facts = factsOf(operation);
      const { actor, credentialError } = isServiceToken(request)
        ? { actor: anonymous(request), credentialError: countsAlone() }
        : await authenticate(request, healthActor);
      if (credentialError && !(facts.ignoresCredential && credentialError.extensions.code !== 'FORBIDDEN')) {
        if (!rateLimiter.isOff) await chargeBadCredential(rateLimiter, request as Request);
        throw credentialError;
      }
      const context = createContext(dependencies, actor, origin(request), {
        eventStream,
        userAgent: request.headers['user-agent'],
        isMutation: facts.isMutation,
        appliesReadEffects: request.method !== 'HEAD',
        ...limitsOf(request, actor),
      });
      await assertAccess(context, operation, offered);
      return context;
    },
  };
}

/** Limits that the pipeline keeps for a request, for which the caller is noted. */
function limitsOf(
  request: IncomingMessage,
  actor: Actor,
): Partial<Pick<RequestState, 'deadline' | 'beginLarge' | 'end'>> {
  const state = findRequestState(request);
  if (!state) return {};
  state.actor = actor;
  const { deadline, beginLarge, end } = state;
  return { deadline, ...(beginLarge && { beginLarge }), end };
}

const anonymous = (request: IncomingMessage): Actor => ({ kind: 'anonymous', ip: ipOf(request) });

/** @throws GraphQLError FORBIDDEN for a service credential, unless `admitsService` */
function assertNoService({ kind }: Actor, admitsService = false): void {
  if (kind === 'service' && !admitsService) throw countsAlone();
}

/** By its format alone: the health API verifies no credential of code hosting. */
const isServiceToken = ({ headers: { authorization = '' } }: IncomingMessage): boolean =>
  parseTokenKind(parseAuthorization(authorization).payload) === 'service';

const ipOf = (request: IncomingMessage): string => (request as Request).ip ?? '';

/** Applies the rules of all scopes. Returns true or the error to respond with. */
async function accessResult(scopes: ReadonlySet<string>, context: Context): Promise<true | Error> {
  for (const scope of scopes) {
    const result = await decideAccess(scope as AccessScope, context);
    if (result !== true) return result;
  }
  return true;
}

/** The error of an invalid credential that an operation does not ignore, or of a service credential that may not run it. */
export type CredentialCheck = (context: GraphqlContext, prepared: PreparedOperation) => GraphQLError | undefined;

/** Rejects an operation with an invalid credential once its fields are known, before it is executed. */
export function credentialCheck(graph: GraphQLSchema): CredentialCheck {
  return ({ actor, credentialError }, { operation, fragments }) => {
    if (!credentialError && actor.kind !== 'service') return undefined;
    const scopes = rootScopes(graph, operation, fragments);
    // Before the resolvers: the rules of public fields are not run.
    if (actor.kind === 'service') return isOfService(scopes) ? undefined : countsAlone();
    return ignoresCredential(scopes) ? undefined : credentialError;
  };
}
