import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { buildOpenApi, type Facade, ProblemError, type Product } from 'operation-rest';
import type { Config } from '../config/config.ts';
import type { Context } from '../context/context.ts';
import type { Database } from '../db/database.ts';
import type { GitHttp } from '../git-http/git-handler.ts';
import { readChangesAsText, tellGo } from '../pages/code-host-addresses.ts';
import type { DemoAccess } from '../pages/demo-access.ts';
import { graphiqlRouter } from '../pages/explorer/graphiql.ts';
import { favicon, faviconPath } from '../pages/favicon.ts';
import { redirectToPage } from '../pages/page-redirects.ts';
import { startPage } from '../pages/start/start-page.tsx';
import { stylesheet, stylesheetPath } from '../pages/stylesheet.ts';
import type { Visitor } from '../pages/visitor.ts';
import { describeWork, runRequest } from '../telemetry/loop-work.ts';
import { tracing } from '../telemetry/tracing.ts';
import { accountPages, isAccountPage } from './account-pages.ts';
import type { ArchiveCache } from './archive-cache.ts';
import { articlePictureHandler } from './article-pictures.ts';
import { avatarHandler } from './avatars.ts';
import { callerIds } from './caller-ids.ts';
import { categoryPictureHandler } from './category-pictures.ts';
import { compressResponses } from './compress-responses.ts';
import type { diagnostics } from './diagnostics.ts';
import { docsRouter } from './docs.ts';
import type { ChargeDownload } from './download-charges.ts';
import { archiveDownloads, rawDownloads } from './downloads.ts';
import { apiOfPath, type ErrorResponder } from './error-responses.ts';
import { failedStep } from './failed-step.ts';
import type { GraphView, GraphViews } from './graph-views.ts';
import type { GraphqlEntryPoint } from './graphql-admission.ts';
import { graphqlHandler } from './graphql-handler.ts';
import { requireShortHeaders } from './header-lengths.ts';
import { liveness, readiness } from './health-checks.ts';
import { type HostAllowlist, requireAllowedHost } from './host-allowlist.ts';
import { type MessageClasses, messageClasses } from './http-messages.ts';
import type { LargeGraphqlBodies } from './large-graphql-body.ts';
import type { Logger } from './logger.ts';
import { mediaHandler } from './media.ts';
import type { Metrics } from './metrics.ts';
import { exposeMetrics } from './metrics-handler.ts';
import { healthSettings } from './oauth/health-settings.ts';
import { type HealthSignInOptions, healthSignIn } from './oauth/health-sign-in.ts';
import { type OauthOptions, oauthHandler } from './oauth/oauth-handler.ts';
import { type ServiceSignInOptions, serviceSignIn } from './oauth/service-sign-in.ts';
import { formMethods, onlyMethods, readMethods } from './only-methods.ts';
import { readExamples, withExamples } from './openapi-examples.ts';
import { type PageButtonOptions, pageButton, pageButtons } from './page-buttons.ts';
import { isForStartPage, pageMatchers, sendAbsentPage } from './page-dispatch.ts';
import { publicKeyTexts } from './public-key-texts.ts';
import type { RecentRequests } from './recent-requests.ts';
import { requestLog } from './request-log.ts';
import { requestStateOf } from './request-state.ts';
import { pathOf } from './request-target.ts';
import { schemaDocument } from './schema-document.ts';
import { securityHeaders } from './security-headers.ts';
import { traceRequest } from './trace-request.ts';
import type { TranslateError } from './translate-error.ts';
import { limitUnreadAnswers } from './unread-answers.ts';

export interface PipelineOptions extends OauthOptions, HealthSignInOptions, ServiceSignInOptions, PageButtonOptions {
  config: Config;
  logger: Logger;
  translateError: TranslateError;
  metrics: Metrics;
  recent: RecentRequests;
  /** What is at `/metrics` and below it. */
  diagnose: ReturnType<typeof diagnostics>;
  graphs: GraphViews;
  graphqlEntryPoint: GraphqlEntryPoint;
  largeBodies: LargeGraphqlBodies;
  /** Context of downloads. */
  context(request: express.Request): Promise<Context>;
  /** The person at a browser. */
  visitor(request: express.Request): Promise<Visitor>;
  chargeDownload: ChargeDownload;
  archiveCache: ArchiveCache;
  database: Database;
  health: { product: Product; facade: Facade };
  hosting: { product: Product; facade: Facade };
  pages: { product: Product; facade: Facade };
  /** Undefined where there is no demo world. */
  demo: DemoAccess | undefined;
  /** The git protocol. `isDocumented`: whether a documented path begins with this segment. */
  git(isDocumented: (firstSegment: string) => boolean): GitHttp;
  isStarted(): boolean;
  isDraining(): boolean;
  /** Whether the database is reachable and migrated. May reject. */
  databaseIsReady(): Promise<boolean>;
  /** Formats errors outside of the REST handlers. */
  respondToError: ErrorResponder;
  hosts: HostAllowlist;
  /** Origin of links in the response. */
  origin(request: express.Request): string;
}

/** `under`: the path and everything below; `at`: exactly the path. */
type PathMatch = 'under' | 'at';
/**
 * What limits the requests of a step. `page`: the window of pages, charged before the step. `own`: the step charges them itself, with
 * their credential. `none`: nothing, because the step does no work for a caller.
 */
type StepLimit = 'page' | 'own' | 'none';
type Step = [
  reach: PathMatch,
  path: string,
  limit: StepLimit,
  what: string,
  ...handlers: (RequestHandler | ErrorRequestHandler)[],
];

/** Path of a step that is not for every path, and its limit. */
export interface LimitedRoute {
  path: string;
  limit: StepLimit;
}

/** Handles every request of a server with these message classes. */
export interface HttpPipeline {
  app: Express;
  messages: MessageClasses;
  routes: readonly LimitedRoute[];
}

/** The HTTP pipeline, in the order of its table. A step that responds ends it; the last steps always respond. */
export function pipeline(options: PipelineOptions): HttpPipeline {
  const {
    config,
    logger,
    metrics,
    graphqlEntryPoint,
    pageAdmissions,
    context,
    chargeDownload,
    archiveCache,
    health,
    hosting,
    pages,
    respondToError,
    translateError,
  } = options;
  const graphql = ({ server }: GraphView): ReturnType<typeof graphqlHandler> =>
    graphqlHandler({
      server,
      entryPoint: graphqlEntryPoint,
      largeBodies: options.largeBodies,
      logger,
      origins: config.CORS_ORIGINS,
    });
  const graph = graphql(options.graphs.all);
  const { isForPage, isForNothing, isReadOnlyPage } = pageMatchers(pages.facade, hosting.facade);
  const isForContract = (request: express.Request): boolean =>
    hosting.facade.serves(pathOf(request.originalUrl)) && !isForPage(request);
  const only = (methods: readonly string[]): RequestHandler => onlyMethods(hosting.product.cors, methods);
  const [reads, forms] = [only(readMethods), only(formMethods)];
  const fail = failedStep(logger, translateError, respondToError, options.origin, isForContract);
  const oauth = oauthHandler(options);
  const absentPage: RequestHandler = (request, response, next) => {
    if (isForNothing(request)) sendAbsentPage(response);
    else next();
  };
  // These use what is derived from the table below.
  const serveGit: RequestHandler = (request, response, next) => {
    const target = git(request, response);
    if (target === undefined) return next();
    const state = requestStateOf(request);
    state.operation = target;
    describeWork({ operation: target });
    state.route = `/{owner}/{repo}/${target}`;
  };
  const redirectPage: RequestHandler = (request, response, next) => {
    const isOfContract = isDocumented(firstSegment(request.url)) && !request.url.startsWith('/apps/');
    if (isOfContract || readChangesAsText(request)) return next();
    if (!tellGo(request, response, options.origin(request)) && !redirectToPage(request, response)) next();
  };
  const inContext: RequestHandler = (request, response, next) => {
    const current = tracing;
    runRequest({ api: apiOfPath(pathOf(request.url)) }, response, () => {
      if (current === undefined) next();
      else traceRequest(current, request, response, tracedAs, next);
    });
  };
  const contracts: RequestHandler = (request, response, next) => {
    const isOwn = isReserved(request.method, pathOf(request.url)) || isForStartPage(request);
    if (!isOwn && isReadOnlyPage(request)) return reads(request, response, next);
    const isServed =
      !isOwn &&
      (health.facade.handle(request, response) ||
        (isForPage(request) && pages.facade.handle(request, response)) ||
        (isForNothing(request) && sendAbsentPage(response)) ||
        hosting.facade.handle(request, response));
    if (!isServed) next();
  };
  const refuseUnread = limitUnreadAnswers(config.UNREAD_MAX_MB * 1024 * 1024, (error, request, response) =>
    fail(error, request, response, () => {}),
  );
  const operator = config.METRICS_PORT === undefined ? exposeMetrics(options.diagnose, config.METRICS_TOKEN) : notFound;
  const callerId = callerIds(options.keys.callerIds);
  const log = requestLog({ logger, metrics, apiOf: apiOfPath, recent: options.recent, callerId });
  // biome-ignore format: a table is read by its columns.
  const steps: Step[] = [
    //       path                    limit   what it does
    ['under', '/',                     'none', 'context of its work',    inContext],
    ['under', '/',                     'none', 'state, log, metrics',    log],
    ['under', '/',                     'none', 'length of headers',      requireShortHeaders],
    ['under', '/',                     'none', 'compression',            compressResponses()],
    ['under', '/',                     'none', 'answers in memory',      refuseUnread],
    ['under', '/',                     'none', 'allowed host',           requireAllowedHost(options.hosts)],
    // Before the contracts: the paths of git end in its services, and no documented path does.
    ['under', '/',                     'own',  'git',                    serveGit],
    ['under', '/',                     'none', 'former pages',           redirectPage],
    ['under', '/',                     'own',  'public keys of a user',  publicKeyTexts(options.database.read, pageAdmissions, reads)],
    ['under', '/',                     'own',  'contracts and pages, but for the paths below', contracts],
    ['under', '/',                     'own',  'admission of account pages', admissionOfAccountPages(pageAdmissions.middleware)],
    ['under', '/',                     'own',  'account pages',          accountPages(options.database.read, options.now)],
    ['at',    '/',                     'own',  'start page',             ...startPageSteps(options)],
    ['at',    stylesheetPath,          'page', 'style of pages',         reads, stylesheet],
    ['at',    faviconPath,             'page', 'icon of the site',       reads, favicon],
    ['at',    '/favicon.ico',          'page', 'icon of the site',       reads, favicon],
    ['under', '/graphiql',             'page', 'GraphiQL',               reads, graphiqlRouter(options.demo)],
    ['under', '/media',                'page', 'pictures',               reads, mediaHandler(options.database)],
    ['under', '/avatars',              'page', 'drawn pictures',         reads, avatarHandler()],
    ['under', '/pictures/articles',    'page', 'pictures of articles',   reads, articlePictureHandler(options.database, options.now)],
    ['under', '/pictures',             'page', 'drawn illustrations',    reads, categoryPictureHandler()],
    ['under', '/raw',                  'own',  'bytes of files',         reads, rawDownloads(context, chargeDownload)],
    ['under', '/codeload',             'own',  'archives',               reads, archiveDownloads(context, chargeDownload, archiveCache)],
    ['under', '/',                     'own',  'health contract',        facade(health.facade)],
    ['at',    '/livez',                'none', 'process is up',          reads, liveness],
    ['at',    '/readyz',               'none', 'may take requests',      reads, readiness(options)],
    ['at',    '/metrics',              'page', 'for Prometheus',         operator],
    ['at',    '/metrics/top',          'page', 'callers of the last minutes', operator],
    ['at',    '/metrics/profile/cpu',  'page', 'profile of the CPU',     operator],
    ['at',    '/metrics/profile/heap', 'page', 'profile of allocations', operator],
    ['under', '/docs',                 'page', 'Swagger UI',             reads, docsRouter()],
    ['at',    '/openapi/health.json',  'page', 'contract document',      reads, document(health, options.origin)],
    ['at',    '/openapi/hosting.json', 'page', 'contract document',      reads, document(hosting, options.origin)],
    ['at',    '/schema.graphql',       'page', 'SDL of the graph',       reads, schemaDocument(options.graphs.all)],
    ['at',    '/graphql',              'own',  'GraphQL, Sandbox',       ...graph],
    ['at',    '/api/graphql',          'own',  'GraphQL of API clients', ...graph],
    ['at',    '/graphql/health/schema.graphql',  'page', 'its SDL',      reads, schemaDocument(options.graphs.health)],
    ['at',    '/graphql/hosting/schema.graphql', 'page', 'its SDL',      reads, schemaDocument(options.graphs.hosting)],
    ['at',    '/graphql/health',       'own',  'health part of it',      ...graphql(options.graphs.health)],
    ['at',    '/graphql/hosting',      'own',  'hosting part of it',     ...graphql(options.graphs.hosting)],
    ['at',    '/login/health',         'own',  'health sign-in',         forms, healthSignIn(options)],
    ['at',    '/login/service',        'own',  'service sign-in',        forms, serviceSignIn(options)],
    ...healthSettings(options).map(([path, page]): Step => ['at', path, 'own', 'settings of a person', forms, page]),
    ...pageButtons.map((one): Step => ['at', one.path, 'own', one.about, only(['POST']), pageButton(one, options)]),
    ['under', '/login',                'own',  'authorization of apps',  forms, oauth],
    ['under', '/settings/connections/applications', 'own', 'authorized apps', forms, oauth, pageBelow(pages.facade)],
    ['under', '/',                     'none', 'no page for a browser',  absentPage],
    ['under', '/',                     'own',  'hosting contract',       facade(hosting.facade)],
    ['under', '/',                     'none', 'no handler matched',     notFound],
    ['under', '/',                     'none', 'a step failed',          fail],
  ];

  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.set('trust proxy', config.TRUST_PROXY);
  // The REST APIs have ETags of their own; those of Express take 20 µs for 8 KB.
  app.set('etag', false);
  app.set('query parser', false);
  for (const [reach, path, limit, , ...own] of steps) {
    const handlers = limit === 'page' ? [pageAdmissions.middleware, ...own] : own;
    if (reach === 'under') app.use(path, handlers);
    else app.all(path, handlers);
  }
  const routes = steps.flatMap(([, path, limit]) => (path === '/' ? [] : [{ path, limit }]));

  const isReserved = pathMatcher(steps.map(([, path]) => path));
  const documented = new Set(
    [...steps.map(([, path]) => path), ...[health, hosting].flatMap(one => documentedPaths(one))].map(firstSegment),
  );
  const isDocumented = (segment: string): boolean => documented.has(segment);
  const git = options.git(isDocumented);
  const tracedAs = { acceptsContext: config.OTEL_PROPAGATORS, routeOf: stepRoutes(steps) };
  return { app, messages: messageClasses(app, securityHeaders()), routes };
}

/**
 * Whether a request is for one of the paths, or below it, or for a page. All others are for the contracts, which precede the paths:
 * behind them the router of Express would compare each path first, which takes as long as a tenth of a list.
 */
function pathMatcher(paths: readonly string[]): (method: string, path: string) => boolean {
  const reserved = new Map<string, string[]>();
  for (const path of paths) {
    const segment = firstSegment(path);
    if (segment !== '') reserved.set(segment, [...(reserved.get(segment) ?? []), path]);
  }
  return (method, path) => {
    const matches = reserved.get(firstSegment(path))?.some(one => path === one || path.startsWith(`${one}/`));
    return matches === true || ((method === 'GET' || method === 'HEAD') && isAccountPage(path));
  };
}

/** Account pages share their paths with operations of the contracts. */
function admissionOfAccountPages(admission: RequestHandler): RequestHandler {
  return (request, response, next) => (isAccountPage(request.path) ? admission(request, response, next) : next());
}

/** The start page shares its path with the root document of the API, which charges its requests itself. */
function startPageSteps({ demo, visitor, pageAdmissions: { middleware } }: PipelineOptions): RequestHandler[] {
  return [
    (request, _response, next) => next(isForStartPage(request) ? undefined : 'route'),
    middleware,
    startPage(demo, visitor),
  ];
}

/** Finds the path of the step that a request is for, of those that have one. */
function stepRoutes(steps: readonly Step[]): (path: string) => string | undefined {
  const routes = steps.flatMap(([reach, path]) => (path === '/' && reach === 'under' ? [] : [{ reach, path }]));
  return path => {
    const found = routes.find(one => path === one.path || (one.reach === 'under' && path.startsWith(`${one.path}/`)));
    return found && (found.reach === 'under' && found.path !== path ? `${found.path}/*` : found.path);
  };
}

/** The paths of a contract, with those of its base paths. */
function documentedPaths({ product, facade: { endpoints } }: PipelineOptions['health']): string[] {
  return [...product.basePaths, ...endpoints.map(({ operation }) => operation.path)];
}

const firstSegment = (path: string): string => path.slice(1, path.indexOf('/', 1) >>> 0);

function facade(one: Facade): RequestHandler {
  return (request, response, next) => {
    if (!one.handle(request, response)) next();
  };
}

/** For a page below a path of a step, which Express has cut off. */
function pageBelow(one: Facade): RequestHandler {
  return (request, response, next) => {
    request.url = request.originalUrl;
    facade(one)(request, response, next);
  };
}

function document(
  { product, facade: { endpoints } }: PipelineOptions['health'],
  originOf: PipelineOptions['origin'],
): RequestHandler {
  let text: string | undefined;
  // No address has this text.
  const placeholder = 'https://origin.invalid';
  return (request, response) => {
    // By the first request: most gateways never serve it, and building it is a tenth of the start.
    text ??= JSON.stringify(withExamples(buildOpenApi(product, endpoints, placeholder), readExamples(product.folder)));
    const own = JSON.stringify(originOf(request)).slice(1, -1);
    response.set('Access-Control-Allow-Origin', '*').type('json').send(text.replaceAll(placeholder, own));
  };
}

const notFound: RequestHandler = (_request, _response, next) => {
  next(new ProblemError({ kind: 'not-found', reason: 'route' }));
};
