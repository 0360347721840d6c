import { MapperKind, mapSchema } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import { useSofa } from 'sofa-api';
import { benchSecret, loadBuild } from '../load-build.ts';
import type { Target } from '../target.ts';
import { listen, withProductionSteps } from './production-steps.ts';

/** Fields that the published list omits. SOFA sends every field and cannot select fewer. */
const unpublished = new Set([
  'Article.body',
  'Article.tags',
  'Article.updatedAt',
  'Article.related',
  'Article.viewCount',
  'Category.description',
  'PageInfo.hasNextPage',
  'PageInfo.hasPreviousPage',
  'PageInfo.startCursor',
  'PageInfo.endCursor',
  'ArticleConnection.edges',
  'Article.id',
  'Article.comments',
  'Category.id',
  'Category.articles',
]);

function sameFields(graph: GraphQLSchema): GraphQLSchema {
  return mapSchema(graph, {
    [MapperKind.OBJECT_FIELD]: (field, name, type) => (unpublished.has(`${type}.${name}`) ? null : field),
  });
}

const startWith =
  (prepare: (graph: GraphQLSchema) => GraphQLSchema): Target =>
  async url => {
    const {
      readConfig,
      openDatabase,
      deriveKeys,
      openRateLimiter,
      SessionTokens,
      CredentialStore,
      buildGraph,
      createContext,
      PublicOrigin,
    } = await loadBuild();
    const config = readConfig({ DATABASE_URL: url, SECRET_KEY: benchSecret });
    const database = await openDatabase({
      url,
      poolSize: config.DATABASE_POOL,
      statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    });
    const clock = (): Date => new Date();
    const keys = deriveKeys(config);
    const tokens = new SessionTokens(keys.sessionTokens);
    const source = {
      config,
      database,
      clock,
      keys,
      tokens,
      rateLimiter: await openRateLimiter({ config, clock, log: console, read: database.read }),
      credentials: new CredentialStore(database.read),
      publicOrigin: new PublicOrigin(config),
    };
    const app = await withProductionSteps();
    app.use(
      '/api',
      useSofa({
        basePath: '/api',
        schema: prepare(buildGraph(config)),
        // The default, written explicitly: an article has its categories, and a nested article once.
        depthLimit: 1,
        context: (server: unknown) => {
          const { req } = server as { req: { ip?: string } };
          return createContext(source, { kind: 'anonymous', ip: req.ip ?? '' }, '');
        },
      }),
    );
    return listen(app);
  };

/** SOFA with the schema, the resolvers and the queries of the gateway, as its users run it. */
export const start: Target = startWith(graph => graph);

/** The same with a schema reduced to the fields of the published list. */
export const startCut: Target = startWith(sameFields);
