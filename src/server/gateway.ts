import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Kysely } from 'kysely';
import { createFacade, type Facade, type FacadeOptions } from '../../rest-facade/engine/facade.ts';
import type { Failure } from '../../rest-facade/engine/failure.ts';
import type { Product } from '../../rest-facade/engine/product.ts';
import { healthProduct } from '../../rest-facade/health/product.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { credentialChannel, VerifiedCredentials } from '../auth/credentials/verified-credentials.ts';
import type { Keys } from '../auth/keys.ts';
import { Tokens } from '../auth/tokens.ts';
import type { Config } from '../config/config.ts';
import { PublicOrigin } from '../config/public-origin.ts';
import type { Clock, Context } from '../context/context.ts';
import { dataState } from '../db/data-state.ts';
import { type Database, inTransaction } from '../db/database.ts';
import { isMigrated } from '../db/migrate.ts';
import { healthCounts, healthRemains } from '../health/health.ts';
import { openRawContent } from '../hosting/contents/raw-content.ts';
import { UsageRecorder } from '../hosting/insights/record-request.ts';
import { writeUsage } from '../hosting/insights/write-usage.ts';
import { locatePlace } from '../hosting/places/locate-place.ts';
import { CallerAllowances } from '../limits/caller-allowances.ts';
import { openThrottle } from '../limits/open-throttle.ts';
import { RequestLimits } from '../limits/request-limits.ts';
import type { ThrottleStore } from '../limits/throttle-store.ts';
import { createApollo } from './apollo.ts';
import { contextsOf, credentialPlugin } from './contexts.ts';
import { countingPlugin, requestCounter } from './count-requests.ts';
import { failureWith, refusals } from './doors.ts';
import { downloadCharges } from './download-charges.ts';
import { explainer } from './explain.ts';
import { buildGraph } from './graph.ts';
import { graphqlEntry } from './graphql-admission.ts';
import { graphqlCharges } from './graphql-charges.ts';
import { healthCharges } from './health-charges.ts';
import { HostAllowlist } from './host-allowlist.ts';
import { admitMethod, callerKey, isPersonal } from './hosting-callers.ts';
import { hostingCredentialHeaders } from './hosting-credential-headers.ts';
import { GatewayServer, type Interruption } from './http-server.ts';
import { liveDoor } from './live-door.ts';
import type { Logger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { requestId } from './observe.ts';
import { originOf } from './origin.ts';
import { pageAdmission } from './page-admission.ts';
import { pipeline } from './pipeline.ts';
import { registerPoolMetrics } from './pool-metrics.ts';
import { restCharges } from './rest-charges.ts';

export interface GatewayOptions {
  config: Config;
  database: Database;
  keys: Keys;
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

/** How a contract learns who is asking. */
type Callers = Pick<
  FacadeOptions,
  'context' | 'admit' | 'charge' | 'locate' | 'isPersonal' | 'callerHeaders' | 'answered' | 'standing'
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
  const tokens = new Tokens(keys.tokens);
  const opened = openThrottle({ config, clock, log: logger });
  const limits = opened.store && requestLimits(opened.store, config, database, clock);
  const credentials = new VerifiedCredentials(database.pools.authentication.read);
  const stopListening = await database.notices.watch(credentialChannel, '', () => credentials.forget());
  const source = {
    config,
    database,
    clock,
    keys,
    tokens,
    credentials,
    throttle: opened.throttle,
    limits,
    publicOrigin,
  };
  const hosts = new HostAllowlist(config);
  const origin = originOf(config.BASE_URL, hosts, publicOrigin);
  const contexts = contextsOf(graph, source, origin);
  const explain = explainer(logger);
  const facade = (product: Product, callers: Callers): { product: Product; facade: Facade } => ({
    product,
    facade: createFacade({
      ...callers,
      product,
      graph,
      requestId,
      clock,
      origin,
      explain,
      onDefect: (error, request) => logger.error({ err: error, id: requestId(request) }, 'a request failed'),
    }),
  });
  const health = facade(healthProduct({ corsOrigins: config.CORS_ORIGINS }), {
    context: contexts.health,
    ...(limits ? { charge: healthCharges(graph, limits) } : {}),
  });
  const hostingOptions = {
    brand: config.HOST_BRAND,
    servesRetired: config.SOURCE_IMPORTS === 'on',
    openRaw: (handle: string, { context }: { context?: unknown }, range?: { start: number; end: number }) =>
      openRawContent((context as Context).read)(handle, range),
  };
  const usage = new UsageRecorder({
    write: batch => writeUsage(database, batch),
    clock,
    process: randomUUID(),
    log: logger,
  });
  const ofHosting = hostingProduct(hostingOptions);
  const hosting = facade(ofHosting, {
    context: contexts.hosting,
    admit(context, request, operation, offered) {
      contexts.admitHosting(context as Context, operation, offered);
      admitMethod(context as Context, request, operation);
    },
    ...(limits ? { charge: restCharges(graph, limits) } : {}),
    locate: async (context, kind, wish) => locatePlace(context as Context, kind, wish),
    callerHeaders: (_context, { request }) => hostingCredentialHeaders(request, config.HOST_BRAND),
    isPersonal: context => isPersonal(context as Context),
    answered: requestCounter(usage, ofHosting.places),
    standing: { state: dataState(database.read), callerOf: context => callerKey(context as Context) },
  });
  const refuse = refusals(health.product, hosting.product);
  const published = hosting.facade.endpoints.map(one => one.operation);
  const charges = limits && graphqlCharges(graph, limits, published);
  const plugins = [credentialPlugin(graph), countingPlugin(usage), ...(charges ? [charges.plugin] : [])];
  const apollo = createApollo(graph, logger, explain, plugins, charges?.onMeasured);
  await apollo.start();
  const byItself = {
    read: database.read,
    transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => inTransaction(database, work),
  };
  let draining = false;
  const pages = pageAdmission(limits);
  const live = liveDoor({ graph, source, config, origin, explain, logger });
  const metrics = createMetrics(() => healthCounts(database.read));
  registerPoolMetrics(metrics.registry, () => Object.values(database.pools).map(pool => pool.state));
  const app = pipeline({
    config,
    logger,
    explain,
    metrics,
    apollo,
    database,
    entry: graphqlEntry({ context: contexts.graphql, charges, pages }),
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
      accepts: request => live.accepts(request) && hosts.admits(Object.setPrototypeOf(request, app.request)),
      take: (request, socket, head) => live.upgrade(request, socket, head, app),
    },
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    interrupt: (interruption, request) =>
      refuse(request?.url?.split('?')[0] ?? '', interruptions[interruption], config.BASE_URL),
  });
  const closeServices = (): void => {
    stopListening();
    limits?.close();
    opened.close();
  };
  const { anonymous, signedIn, authentication, write } = database.pools;
  // One that fails is opened by the first request, which tells why not.
  await Promise.allSettled([anonymous, signedIn, authentication, write].map(pool => pool.warmUp()));
  const address = await server.listen(config.PORT, config.HOST).catch(async error => {
    await apollo.stop();
    closeServices();
    throw error;
  });
  publicOrigin.listensAt(address);
  return {
    address,
    server: server.server,
    async stop() {
      draining = true;
      const farewell = live.close(Math.min(config.DRAIN_TIMEOUT_MS, 2_000));
      await Promise.all([farewell, server.drain(config.DRAIN_TIMEOUT_MS)]);
      await apollo.stop();
      closeServices();
      await usage
        .close()
        .catch((error: unknown) => logger.warn({ err: error }, 'some requests were not counted for API insights'));
      await healthRemains(byItself, clock().getTime()).catch((error: unknown) =>
        logger.warn({ err: error }, 'some views of articles were not counted'),
      );
    },
  };
}

function requestLimits(store: ThrottleStore, config: Config, { pools }: Database, clock: Clock): RequestLimits {
  const { read } = pools.authentication;
  return new RequestLimits({ store, allowances: new CallerAllowances(read, clock), factor: config.THROTTLE });
}

const interruptions: Record<Interruption, Failure> = {
  malformed: failureWith(400, 'BAD_REQUEST', 'The request is not valid HTTP.'),
  'too-large': failureWith(431, 'HEADERS_TOO_LARGE', 'The request line and the headers are larger than 16 KB.'),
  'arrives-too-slowly': failureWith(408, 'REQUEST_TIMEOUT', 'The request took too long to arrive.'),
  'answered-too-slowly': failureWith(503, 'SERVICE_UNAVAILABLE', 'The answer took too long. Try again.'),
};
