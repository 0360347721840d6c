import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { join, resolve } from 'node:path';
import type { Request, Response } from 'express';
import type { Kysely } from 'kysely';
import { createFacade, type Facade, type FacadeOptions, type Product, problemOf } from 'operation-rest';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { brandName } from '../auth/brand-header.ts';
import { CredentialStore, credentialChannel } from '../auth/credentials/credential-store.ts';
import type { DerivedKeys } from '../auth/derived-keys.ts';
import { SessionTokens } from '../auth/session-tokens.ts';
import type { Config } from '../config/config.ts';
import { PublicOrigin } from '../config/public-origin.ts';
import type { Clock, Context } from '../context/context.ts';
import { dataVersionReader } from '../db/data-version.ts';
import { type Database, inTransaction, isServing } from '../db/database.ts';
import { isMigrated } from '../db/migrate.ts';
import { serviceUnavailable } from '../errors/errors.ts';
import { objectLookups } from '../git/repository.ts';
import { gitHttp } from '../git-http/git-handler.ts';
import { PackCache } from '../git-http/pack-cache.ts';
import { flushHealthWrites, healthMetrics, lateFeeds, overdueErasures } from '../health/health.ts';
import { openRawContent } from '../hosting/contents/raw-content.ts';
import { mailLockout } from '../hosting/credentials/mail-lockout.ts';
import { TokenUseRecorder } from '../hosting/credentials/token-use-recorder.ts';
import { writeTokenUses } from '../hosting/credentials/write-token-uses.ts';
import { UsageRecorder } from '../hosting/insights/usage-recorder.ts';
import { writeUsage } from '../hosting/insights/write-usage.ts';
import { findResource } from '../hosting/resources/find-resource.ts';
import { openRateLimiter } from '../limits/open-rate-limiter.ts';
import { largeInputsOf } from '../limits/variable-bounds.ts';
import { DemoAccess, type DemoCredentials } from '../pages/demo-access.ts';
import { isAbsentPage, pagesProduct } from '../pages/pages-product.ts';
import { visitorOf } from '../pages/visitor.ts';
import { describeWork } from '../telemetry/loop-work.ts';
import { tracing } from '../telemetry/tracing.ts';
import { FairSlots } from '../workers/fair-slots.ts';
import { lowerThreadPoolPriority } from '../workers/thread-pool-priority.ts';
import { apiUsageCounter, graphqlUsageCounter } from './api-usage.ts';
import { GraphqlServer } from './apollo-server.ts';
import { ArchiveCache } from './archive-cache.ts';
import { claimKey } from './claim-key.ts';
import { compileGateway } from './compile-gateway.ts';
import { createContextFactory, credentialCheck } from './context-factory.ts';
import { descriptorLimit, maxConnections } from './descriptor-limit.ts';
import { diagnostics } from './diagnostics.ts';
import { documentPolicy } from './document-policy.ts';
import { type DocumentCounts, documentMetrics } from './document-store.ts';
import { downloadCharges, gitCharges } from './download-charges.ts';
import { errorResponder, interruptionProblems } from './error-responses.ts';
import { eventLoopWatchdog } from './event-loop-blocks.ts';
import { accountExternalMemory } from './external-memory.ts';
import { allowGitPages } from './git-pages.ts';
import { graphViews } from './graph-views.ts';
import { graphqlEntryPoint } from './graphql-admission.ts';
import { graphqlCharges } from './graphql-charges.ts';
import { graphqlWsHandler } from './graphql-ws-handler.ts';
import { overlongHeader } from './header-lengths.ts';
import { healthCharges } from './health-charges.ts';
import { HostAllowlist } from './host-allowlist.ts';
import { assertMethodAllowed, callerKey, isPersonal } from './hosting-callers.ts';
import { hostingCharges } from './hosting-charges.ts';
import { hostingCredentialHeaders } from './hosting-credential-headers.ts';
import { GatewayServer } from './http-server.ts';
import { LargeGraphqlBodies } from './large-graphql-body.ts';
import type { Logger } from './logger.ts';
import { cacheMetrics, connectionMetrics, createMetrics, refusalMetrics, slowClientMetrics } from './metrics.ts';
import { type MetricsServer, startMetricsServer } from './metrics-handler.ts';
import { BrowserSessions } from './oauth/browser-session.ts';
import { FormTokens } from './oauth/form-tokens.ts';
import { healthSessions, hostingSessions, serviceSessions } from './oauth/session-kinds.ts';
import { openIsolatedWork } from './open-isolated-work.ts';
import { operationFacts } from './operation-facts.ts';
import { pageAdmission } from './page-admission.ts';
import { pageCallers } from './page-callers.ts';
import { type LimitedRoute, pipeline } from './pipeline.ts';
import { registerPoolMetrics } from './pool-metrics.ts';
import { readList } from './read-list.ts';
import { RecentRequests } from './recent-requests.ts';
import { registerReplicaMetrics } from './replica-metrics.ts';
import { originResolver } from './request-origin.ts';
import { findRequestState, requestId, requestStateOf, writeDeadlineOf } from './request-state.ts';
import { pathOf } from './request-target.ts';
import { registerServiceMetrics } from './service-metrics.ts';
import { errorTranslator } from './translate-error.ts';
import { registerWorkMetrics } from './work-metrics.ts';

export interface GatewayOptions {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  logger: Logger;
  clock?: Clock;
  /** Shared with the job runner of this process, if there is one; receives the listen address. */
  publicOrigin?: PublicOrigin;
  /** What opens the demo world; absent where there is none. */
  demo?: DemoCredentials | undefined;
  /** Whether blocks of the event loop are reported, which takes a thread; false by default. */
  watchesEventLoop?: boolean;
  /** Whether what serves beside the gateway is there; until then `/readyz` is 503. True by default. */
  isStarted?: () => boolean;
}

/** A listening gateway. */
export interface Gateway {
  /** Origin of the listen address, such as http://127.0.0.1:4000. */
  address: string;
  /** The same of METRICS_PORT. */
  metricsAddress: string | undefined;
  /** Path of the one-time link that shows the credentials of the demo world. */
  demoPath: string | undefined;
  server: Server;
  /** Paths outside of the contracts, with what limits their requests. */
  routes: readonly LimitedRoute[];
  /** Stops accepting, waits up to `config.DRAIN_TIMEOUT_MS` for active requests, then closes every connection. */
  stop(): Promise<void>;
}

/** Request bodies in temporary files at a time, in the process and of one caller; the others wait. Each is one open file. */
const bodiesInFiles = { size: 16, maxPerKey: 4, maxQueued: 200, maxQueuedPerKey: 16 };

/** The hooks of a REST handler that concern the caller. */
type ContractHooks = Pick<
  FacadeOptions,
  | 'operations'
  | 'context'
  | 'authorize'
  | 'charge'
  | 'findResource'
  | 'isPersonal'
  | 'callerHeaders'
  | 'passOn'
  | 'onResponse'
  | 'notModifiedCache'
>;

/** The template of a path with the base path that the request has. */
function routeOf({ basePaths }: Product, { url = '' }: IncomingMessage, path: string): string {
  return `${basePaths.find(base => url.startsWith(`${base}/`)) ?? ''}${path}`;
}

/** Builds the schema, both REST APIs and all entry points, and listens. The database must be migrated. */
export async function startGateway({
  config,
  database,
  keys,
  logger,
  clock = () => new Date(),
  publicOrigin = new PublicOrigin(config),
  demo,
  watchesEventLoop = false,
  isStarted = () => true,
}: GatewayOptions): Promise<Gateway> {
  const demoAccess = demo && new DemoAccess(demo);
  const { graph, listed, ...contracts } = compileGateway(config);
  const tokens = new SessionTokens(keys.sessionTokens);
  const rateLimiter = await openRateLimiter({ config, clock, log: logger, read: database.pools.authentication.read });
  const tokenUses = new TokenUseRecorder({ write: uses => writeTokenUses(database.sql, uses), clock, log: logger });
  const byItself = {
    read: database.read,
    transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => inTransaction(database, work),
  };
  const credentials = new CredentialStore(
    database.pools.authentication.read,
    id => tokenUses.record(id),
    (owner, seconds) => mailLockout({ ...byItself, keys, now: clock, rateLimiter }, owner, seconds),
  );
  const stopListening = await database.notifications.subscribe(credentialChannel, '', () => credentials.invalidate());
  const isolated = openIsolatedWork(config, database, logger);
  const dependencies = {
    ...{ config, database, clock, keys, tokens, credentials, rateLimiter, publicOrigin },
    isolatedWork: isolated?.work,
  };
  const factsOf = operationFacts(graph);
  const hosts = new HostAllowlist(config);
  const origin = originResolver(config.BASE_URL, hosts, publicOrigin);
  const contexts = createContextFactory(factsOf, dependencies, origin);
  const translateError = errorTranslator(logger);
  const tempFileSlots = new FairSlots({
    ...bodiesInFiles,
    fullError: () => serviceUnavailable({ reason: 'large_requests' }, 'Too many large requests at a time. Try again.'),
  });
  const facade = (product: Product, callers: ContractHooks): { product: Product; facade: Facade } => ({
    product,
    facade: createFacade({
      ...callers,
      onResponse(restContext, problem) {
        const { operation } = restContext;
        if (operation) {
          const state = requestStateOf(restContext.request as IncomingMessage);
          state.operation = operation.name;
          if (tracing) state.route = routeOf(product, restContext.request as IncomingMessage, operation.path);
        }
        callers.onResponse?.(restContext, problem);
      },
      context(request, operation, otherOperations, events) {
        if (operation) describeWork({ operation: operation.name });
        return callers.context(request, operation, otherOperations, events);
      },
      product,
      graph,
      requestId,
      clock,
      origin,
      explain: translateError,
      readList,
      acquireTempFileSlot: context => tempFileSlots.acquire(callerKey(context as Context)),
      forgetLoaded: context => (context as Context).forgetLoaded(),
      claimKey: (context, key, fingerprint) => claimKey(context as Context, product.name, key, fingerprint),
      repeatInTransaction: (context, key, check) => (context as Context).checkInTransaction(key, check),
      onDefect: (error, request: IncomingMessage) =>
        logger.error({ err: error, id: requestId(request) }, 'a request failed'),
    }),
  });
  const health = facade(healthProduct({ corsOrigins: config.CORS_ORIGINS, companion: config.COMPANION }), {
    operations: contracts.health,
    context: contexts.health,
    ...(rateLimiter.isOff ? {} : { charge: healthCharges(rateLimiter, factsOf) }),
  });
  const hostingOptions = {
    brand: { word: config.HOSTING_BRAND, name: brandName(config.HOSTING_BRAND) },
    servesRetired: config.SOURCE_IMPORTS === 'on',
    openRaw: (handle: string, { context }: { context?: unknown }, range?: { start: number; end: number }) =>
      openRawContent(context as Context)(handle, range),
  };
  const usage = new UsageRecorder({
    write: batch => writeUsage(database, batch),
    clock,
    processId: randomUUID(),
    log: logger,
  });
  const dataVersion = dataVersionReader(database);
  const hostingContract = hostingProduct(hostingOptions);
  const hosting = facade(hostingContract, {
    operations: contracts.hosting,
    context: contexts.hosting,
    async authorize(context, request: IncomingMessage, operation, offered) {
      await contexts.assertAccess(context as Context, operation, offered);
      assertMethodAllowed(context as Context, request, operation);
    },
    ...(rateLimiter.isOff ? {} : { charge: hostingCharges(rateLimiter, factsOf) }),
    findResource: async (context, kind, lookup) => findResource(context as Context, kind, lookup),
    callerHeaders: (context, { operation }) =>
      hostingCredentialHeaders(context as Context, factsOf(operation).scopes.accepted, config.HOSTING_BRAND),
    isPersonal: context => isPersonal(context as Context),
    onResponse: apiUsageCounter(usage, hostingContract.resourceAliases),
    notModifiedCache: {
      dataVersion: context => dataVersion(context as Context),
      callerKey: context => callerKey(context as Context),
    },
  });
  const pageAdmissions = pageAdmission(rateLimiter);
  const forms = new FormTokens({ keys, origin });
  const sessionOptions = { keys, forms, now: clock, origin, context: contexts.graphql };
  const serviceBrowsers = new BrowserSessions(sessionOptions, serviceSessions);
  const sessions = new BrowserSessions(sessionOptions, hostingSessions);
  const healthBrowsers = new BrowserSessions(sessionOptions, healthSessions);
  const callers = pageCallers({ graph, hosting: sessions, health: healthBrowsers, service: serviceBrowsers, contexts });
  const pages = facade(pagesProduct({ formatForApi: hostingContract.formatProblem }), {
    operations: contracts.pages,
    context: callers.context,
    authorize: (context, _request, operation, offered) => contexts.assertAccess(context as Context, operation, offered),
    async charge(_context, { request, response }) {
      await pageAdmissions.admit(request as Request, response as Response);
      return undefined;
    },
    passOn: ({ media, request, response }, problem) =>
      isAbsentPage(problem) && media?.variant !== 'html' && hosting.facade.handle(request, response),
    isPersonal: context => isPersonal(context as Context) || visitorOf(context).hasEnded === true,
    callerHeaders: context => {
      const visitor = visitorOf(context);
      return visitor.hasEnded ? { 'Set-Cookie': callers.endedCookie(visitor) } : {};
    },
  });
  const respondToError = errorResponder(health.product, hosting.product);
  const charges = rateLimiter.isOff ? undefined : graphqlCharges(graph, rateLimiter);
  const policy = documentPolicy(config.GRAPHQL_DOCUMENTS, listed);
  const documentCounts: DocumentCounts = { known: 0, new: 0 };
  const serverOptions = {
    logger,
    translateError,
    policy,
    counts: documentCounts,
    checkCredential: credentialCheck(graph),
    charges,
    onResponse: graphqlUsageCounter(usage),
  };
  const graphs = graphViews(graph, schema => new GraphqlServer({ ...serverOptions, graph: schema }));
  let draining = false;
  const subscriptions = graphqlWsHandler({
    graph,
    policy,
    source: dependencies,
    origin,
    translateError,
    logger,
  });
  const metrics = createMetrics(() => [
    ...healthMetrics(database.read),
    ...documentMetrics(documentCounts),
    ...refusalMetrics(rateLimiter.refusals),
    ...slowClientMetrics(server.slowClients),
    ...connectionMetrics(server.connections),
    ...cacheMetrics({
      git_objects: objectLookups(database.read),
      git_copies: packCache.lookups,
      archives: archiveCache.lookups,
    }),
  ]);
  const recent = new RecentRequests();
  const diagnose = diagnostics(metrics, recent);
  registerServiceMetrics(metrics.registry, {
    read: database.pools.jobs.read,
    overdueErasures: () => overdueErasures(database.pools.jobs.read, clock(), config.ERASE_AFTER_DAYS),
    lateFeeds: () => lateFeeds(database.pools.jobs.read),
    sockets: () => subscriptions.counts,
    areLimitsShared: () => rateLimiter.isShared,
  });
  await lowerThreadPoolPriority();
  accountExternalMemory();
  const watchdog = eventLoopWatchdog(logger, metrics.registry);
  if (isolated) {
    const { work, longWork } = isolated;
    registerWorkMetrics(metrics.registry, { computations: work.processes, long_tasks: longWork.processes });
  }
  registerPoolMetrics(metrics.registry, () => Object.values(database.pools).map(pool => pool.state));
  if (database.replicas) registerReplicaMetrics(metrics.registry, database.replicas);
  const packCache = new PackCache({
    root: join(resolve(config.PORTICO_DATA), 'git'),
    maxBytes: config.GIT_CACHE_MB * 1024 * 1024,
    onFailure: error => logger.warn({ err: error }, 'a copy of a repository could not be tidied up and was deleted'),
  });
  const archiveCache = new ArchiveCache({
    folder: join(resolve(config.PORTICO_DATA), 'archives'),
    key: keys.archiveNames,
    maxBytes: config.ARCHIVE_CACHE_MB * 1024 * 1024,
  });
  const { app, messages, routes } = pipeline({
    config,
    logger,
    translateError,
    metrics,
    recent,
    diagnose,
    graphs,
    database,
    graphqlEntryPoint: graphqlEntryPoint({ context: contexts.graphql, charges, pages: pageAdmissions }),
    largeBodies: new LargeGraphqlBodies(largeInputsOf(graph)),
    pageAdmissions,
    context: contexts.otherPath,
    keys,
    now: clock,
    sessions,
    healthBrowsers,
    forms,
    serviceBrowsers,
    graph,
    tokens,
    rateLimiter,
    visitor: callers.visitor,
    chargeDownload: downloadCharges(rateLimiter),
    archiveCache,
    health,
    hosting,
    pages,
    demo: demoAccess,
    git: isDocumented =>
      gitHttp({
        context: request => contexts.git(request),
        charge: gitCharges(rateLimiter, config.GIT_QUEUE_TIMEOUT_MS),
        cache: packCache,
        maxPushBytes: config.GIT_PUSH_MAX_MB * 1024 * 1024,
        maxPushObjects: config.GIT_PUSH_MAX_OBJECTS,
        maxExpansion: config.GZIP_MAX_RATIO,
        maxIdleMs: config.GIT_IDLE_TIMEOUT_MS,
        maxQueueMs: config.GIT_QUEUE_TIMEOUT_MS,
        isDocumented,
        allowPages: allowGitPages,
        allowSlowArrival: request => server.allowSlowArrival(request),
        explain(error) {
          const problem = problemOf(error) ?? problemOf(translateError(error));
          if (problem?.kind !== 'graph') return undefined;
          const { status, message, data } = problem;
          return { status, message, headers: data.headers as Record<string, string> | undefined };
        },
        onDefect: (error, request: IncomingMessage) =>
          logger.error({ err: error, id: requestId(request) }, 'a request of git failed'),
        onFullDisk: error => logger.warn({ err: error }, 'the disk of the data folder is full: git is not served'),
      }),
    isStarted,
    isDraining: () => draining,
    databaseIsReady: async () => (await Promise.all([isMigrated(database), isServing(database)])).every(Boolean),
    respondToError,
    hosts,
    origin,
  });
  const server = new GatewayServer({
    handle: app,
    messages,
    upgrade: {
      // An upgrade request for another host or with an overlong header is handled as HTTP, by the step that rejects it.
      accepts: request =>
        overlongHeader(request) === undefined &&
        subscriptions.accepts(request) &&
        hosts.allowsRequest(Object.setPrototypeOf(request, app.request)),
      take: (request, socket, head) => subscriptions.handleUpgrade(request, socket, head, app),
    },
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    maxConnections: maxConnections(descriptorLimit(), config.DATABASE_POOL),
    onAcceptError: error => logger.warn({ err: error }, 'connections cannot be accepted'),
    bodies: { idleMs: config.BODY_IDLE_TIMEOUT_MS, minBytesPerSecond: config.BODY_MIN_BYTES_PER_SECOND },
    responses: {
      graceMs: config.RESPONSE_SLOW_TIMEOUT_MS,
      minBytesPerSecond: config.RESPONSE_MIN_BYTES_PER_SECOND,
    },
    // A read is answered at once: it has written nothing that its client wants.
    expire: request => {
      const hasExpired = writeDeadlineOf(request)?.expire() !== false;
      return hasExpired || request.method === 'GET' || request.method === 'HEAD';
    },
    onInterrupt(request, status, reason) {
      const state = findRequestState(request);
      if (state) state.interrupted = { status, reason };
    },
    interrupt: (interruption, request) =>
      respondToError(
        pathOf(request?.url ?? ''),
        interruptionProblems[interruption],
        // Without headers there is no host that the client has named.
        request ? origin(request as Request) : publicOrigin.value,
      ),
  });
  const closeServices = (): void => {
    stopListening();
    rateLimiter.close();
    isolated?.release();
  };
  const { anonymous, signedIn, authentication, write } = database.pools;
  // A pool that fails to connect here is connected by its first request, which reports the error.
  await Promise.allSettled([anonymous, signedIn, authentication, write].map(pool => pool.warmUp()));
  let metricsServer: MetricsServer | undefined;
  const address = await (async () => {
    metricsServer = await startMetricsServer(diagnose, config);
    return server.listen(config.PORT, config.HOST);
  })().catch(async error => {
    closeServices();
    await metricsServer?.close();
    throw error;
  });
  publicOrigin.setListenAddress(address);
  if (watchesEventLoop) watchdog.start();
  return {
    address,
    metricsAddress: metricsServer?.address,
    demoPath: demoAccess?.path,
    server: server.server,
    routes,
    async stop() {
      draining = true;
      const webSocketsClosed = subscriptions.close(Math.min(config.DRAIN_TIMEOUT_MS, 2_000));
      await Promise.all([webSocketsClosed, server.drain(config.DRAIN_TIMEOUT_MS, config.DRAIN_DELAY_MS)]);
      await packCache.close();
      await metricsServer?.close();
      await watchdog.stop();
      closeServices();
      const flush = (work: Promise<void>, lost: string): Promise<void> =>
        work.catch((error: unknown) => logger.warn({ err: error }, lost));
      await flush(usage.close(), 'some requests were not counted for API insights');
      await flush(tokenUses.close(), 'some uses of tokens were not recorded');
      await flush(flushHealthWrites(byItself, clock().getTime()), 'some views of articles were not counted');
    },
  };
}
