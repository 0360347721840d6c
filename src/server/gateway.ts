import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Kysely } from 'kysely';
import { createFacade, type Facade, type FacadeOptions } from '../../rest-facade/engine/facade.ts';
import type { Problem } from '../../rest-facade/engine/problem.ts';
import type { Product } from '../../rest-facade/engine/product.ts';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { CredentialStore, credentialChannel } from '../auth/credentials/credential-store.ts';
import type { DerivedKeys } from '../auth/derived-keys.ts';
import { SessionTokens } from '../auth/session-tokens.ts';
import type { Config } from '../config/config.ts';
import { PublicOrigin } from '../config/public-origin.ts';
import type { Clock, Context } from '../context/context.ts';
import { type Database, inTransaction } from '../db/database.ts';
import { isMigrated } from '../db/migrate.ts';
import { snapshotReader } from '../db/snapshot-reader.ts';
import { flushHealthWrites, healthMetrics } from '../health/health.ts';
import { openRawContent } from '../hosting/contents/raw-content.ts';
import { UsageRecorder } from '../hosting/insights/usage-recorder.ts';
import { writeUsage } from '../hosting/insights/write-usage.ts';
import { findResource } from '../hosting/resources/find-resource.ts';
import { CallerQuotas } from '../limits/caller-quotas.ts';
import { openRateLimiter } from '../limits/open-rate-limiter.ts';
import type { RateLimitStore } from '../limits/rate-limit-store.ts';
import { RequestLimiter } from '../limits/request-limiter.ts';
import { Semaphore } from '../workers/semaphore.ts';
import { apiUsageCounter, apiUsagePlugin } from './api-usage.ts';
import { createApollo } from './apollo.ts';
import { createContextFactory, credentialPlugin } from './context-factory.ts';
import { downloadCharges } from './download-charges.ts';
import { errorResponder, problemWith } from './error-responses.ts';
import { buildGraph } from './graph.ts';
import { graphqlEntryPoint } from './graphql-admission.ts';
import { graphqlCharges } from './graphql-charges.ts';
import { graphqlWsHandler } from './graphql-ws-handler.ts';
import { healthCharges } from './health-charges.ts';
import { HostAllowlist } from './host-allowlist.ts';
import { assertMethodAllowed, callerKey, isPersonal } from './hosting-callers.ts';
import { hostingCredentialHeaders } from './hosting-credential-headers.ts';
import { GatewayServer, type Interruption } from './http-server.ts';
import type { Logger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { pageAdmission } from './page-admission.ts';
import { pipeline } from './pipeline.ts';
import { registerPoolMetrics } from './pool-metrics.ts';
import { requestId } from './request-log.ts';
import { originResolver } from './request-origin.ts';
import { restCharges } from './rest-charges.ts';
import { errorTranslator } from './translate-error.ts';

export interface GatewayOptions {
  config: Config;
  database: Database;
  keys: DerivedKeys;
  logger: Logger;
  clock?: Clock;
  /** Shared with the jobs of this process, if it works on any; receives the address that the gateway listens on. */
  publicOrigin?: PublicOrigin;
}

/** A listening gateway. */
export interface Gateway {
  /** Where it listens, such as http://127.0.0.1:4000. */
  address: string;
  server: Server;
  /** Stops accepting, lets what runs finish for `config.DRAIN_TIMEOUT_MS` at most, then closes every connection. */
  stop(): Promise<void>;
}

/** Request bodies that are kept in temporary files at the same time; further ones wait unread in the network. */
const maxBodiesInFiles = 16;

/** How a contract learns who is asking. */
type ContractHooks = Pick<
  FacadeOptions,
  | 'context'
  | 'authorize'
  | 'charge'
  | 'findResource'
  | 'isPersonal'
  | 'callerHeaders'
  | 'onResponse'
  | 'notModifiedCache'
>;

/** Puts the graph, both contracts and the doors together and listens. The database must be migrated. */
export async function startGateway({
  config,
  database,
  keys,
  logger,
  clock = () => new Date(),
  publicOrigin = new PublicOrigin(config),
}: GatewayOptions): Promise<Gateway> {
  const graph = buildGraph(config);
  const tokens = new SessionTokens(keys.sessionTokens);
  const openedLimiter = openRateLimiter({ config, clock, log: logger });
  const limits = openedLimiter.store && requestLimits(openedLimiter.store, config, database, clock);
  const credentials = new CredentialStore(database.pools.authentication.read);
  const stopListening = await database.notifications.subscribe(credentialChannel, '', () => credentials.invalidate());
  const source = {
    config,
    database,
    clock,
    keys,
    tokens,
    credentials,
    throttle: openedLimiter.rateLimiter,
    limits,
    publicOrigin,
  };
  const hosts = new HostAllowlist(config);
  const origin = originResolver(config.BASE_URL, hosts, publicOrigin);
  const contexts = createContextFactory(graph, source, origin);
  const explain = errorTranslator(logger);
  const tempFileSlots = new Semaphore(maxBodiesInFiles);
  const facade = (product: Product, callers: ContractHooks): { product: Product; facade: Facade } => ({
    product,
    facade: createFacade({
      ...callers,
      product,
      graph,
      requestId,
      clock,
      origin,
      explain,
      acquireTempFileSlot: () => tempFileSlots.acquire(),
      onDefect: (error, request) => logger.error({ err: error, id: requestId(request) }, 'a request failed'),
    }),
  });
  const health = facade(healthProduct({ corsOrigins: config.CORS_ORIGINS }), {
    context: contexts.health,
    ...(limits ? { charge: healthCharges(graph, limits) } : {}),
  });
  const hostingOptions = {
    brand: config.HOSTING_BRAND,
    servesRetired: config.SOURCE_IMPORTS === 'on',
    openRaw: (handle: string, { context }: { context?: unknown }, range?: { start: number; end: number }) =>
      openRawContent((context as Context).read)(handle, range),
  };
  const usage = new UsageRecorder({
    write: batch => writeUsage(database, batch),
    clock,
    processId: randomUUID(),
    log: logger,
  });
  const hostingContract = hostingProduct(hostingOptions);
  const hosting = facade(hostingContract, {
    context: contexts.hosting,
    authorize(context, request, operation, offered) {
      contexts.assertHostingAccess(context as Context, operation, offered);
      assertMethodAllowed(context as Context, request, operation);
    },
    ...(limits ? { charge: restCharges(graph, limits) } : {}),
    findResource: async (context, kind, wish) => findResource(context as Context, kind, wish),
    callerHeaders: (_context, { request }) => hostingCredentialHeaders(request, config.HOSTING_BRAND),
    isPersonal: context => isPersonal(context as Context),
    onResponse: apiUsageCounter(usage, hostingContract.resourceAliases),
    notModifiedCache: {
      dataVersion: snapshotReader(database.read),
      callerKey: context => callerKey(context as Context),
    },
  });
  const refuse = errorResponder(health.product, hosting.product);
  const published = hosting.facade.endpoints.map(one => one.operation);
  const charges = limits && graphqlCharges(graph, limits, published);
  const plugins = [credentialPlugin(graph), apiUsagePlugin(usage), ...(charges ? [charges.plugin] : [])];
  const apollo = createApollo(graph, logger, explain, plugins, charges?.onMeasured);
  await apollo.start();
  const byItself = {
    read: database.read,
    transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => inTransaction(database, work),
  };
  let draining = false;
  const pages = pageAdmission(limits);
  const subscriptions = graphqlWsHandler({ graph, source, config, origin, explain, logger });
  const metrics = createMetrics(() => healthMetrics(database.read));
  registerPoolMetrics(metrics.registry, () => Object.values(database.pools).map(pool => pool.state));
  const app = pipeline({
    config,
    logger,
    explain,
    metrics,
    apollo,
    database,
    entry: graphqlEntryPoint({ context: contexts.graphql, charges, pages }),
    pages,
    context: contexts.graphql,
    chargeDownload: downloadCharges(limits),
    health,
    hosting,
    isDraining: () => draining,
    databaseIsReady: () => isMigrated(database),
    refuse,
    hosts,
    origin,
  });
  const server = new GatewayServer({
    handle: app,
    upgrade: {
      // A WebSocket to another host is answered as HTTP, by the step that refuses it there.
      accepts: request =>
        subscriptions.accepts(request) && hosts.allowsRequest(Object.setPrototypeOf(request, app.request)),
      take: (request, socket, head) => subscriptions.handleUpgrade(request, socket, head, app),
    },
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    interrupt: (interruption, request) =>
      refuse(request?.url?.split('?')[0] ?? '', interruptionProblems[interruption], config.BASE_URL),
  });
  const closeServices = (): void => {
    stopListening();
    limits?.close();
    openedLimiter.close();
  };
  const { anonymous, signedIn, authentication, write } = database.pools;
  // One that fails is opened by the first request, which tells why not.
  await Promise.allSettled([anonymous, signedIn, authentication, write].map(pool => pool.warmUp()));
  const address = await server.listen(config.PORT, config.HOST).catch(async error => {
    await apollo.stop();
    closeServices();
    throw error;
  });
  publicOrigin.setListenAddress(address);
  return {
    address,
    server: server.server,
    async stop() {
      draining = true;
      const webSocketsClosed = subscriptions.close(Math.min(config.DRAIN_TIMEOUT_MS, 2_000));
      await Promise.all([webSocketsClosed, server.drain(config.DRAIN_TIMEOUT_MS)]);
      await apollo.stop();
      closeServices();
      await usage
        .close()
        .catch((error: unknown) => logger.warn({ err: error }, 'some requests were not counted for API insights'));
      await flushHealthWrites(byItself, clock().getTime()).catch((error: unknown) =>
        logger.warn({ err: error }, 'some views of articles were not counted'),
      );
    },
  };
}

function requestLimits(store: RateLimitStore, config: Config, { pools }: Database, clock: Clock): RequestLimiter {
  const { read } = pools.authentication;
  return new RequestLimiter({ store, allowances: new CallerQuotas(read, clock), factor: config.RATE_LIMIT_FACTOR });
}

const interruptionProblems: Record<Interruption, Problem> = {
  malformed: problemWith(400, 'BAD_REQUEST', 'The request is not valid HTTP.'),
  'too-large': problemWith(431, 'HEADERS_TOO_LARGE', 'The request line and the headers are larger than 16 KB.'),
  'arrives-too-slowly': problemWith(408, 'REQUEST_TIMEOUT', 'The request took too long to arrive.'),
  'answered-too-slowly': problemWith(503, 'SERVICE_UNAVAILABLE', 'The answer took too long. Try again.'),
};
