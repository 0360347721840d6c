import type { GraphQLSchema } from 'graphql';
import { readConfig } from '../../src/config/config.ts';
import { type ContextDependencies, createContext } from '../../src/context/context.ts';
import { GraphqlServer, type GraphqlServerOptions } from '../../src/server/apollo-server.ts';
import { documentPolicy } from '../../src/server/document-policy.ts';
import { createLogger } from '../../src/server/logger.ts';
import { errorTranslator } from '../../src/server/translate-error.ts';

const source = { config: readConfig({}), database: {}, clock: () => new Date() } as ContextDependencies;

/** A GraphQL server over any graph, without limits of callers, without HTTP and without a database. */
export function bareGraphqlServer(graph: GraphQLSchema, options: Partial<GraphqlServerOptions> = {}) {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line: string) => void lines.push(line) });
  const counts = { known: 0, new: 0 };
  const server = new GraphqlServer({
    graph,
    logger,
    translateError: errorTranslator(logger),
    policy: documentPolicy('any', new Map()),
    counts,
    checkCredential: () => undefined,
    charges: undefined,
    onResponse: () => {},
    ...options,
  });

  /** Sends the body of a POST, or the parameters of a GET. */
  async function send(body: Record<string, unknown>, method: 'GET' | 'POST' = 'POST') {
    const search = method === 'GET' ? `?${new URLSearchParams(body as Record<string, string>)}` : '';
    const context = createContext(source, { kind: 'anonymous', ip: '' }, '');
    // As in JSON, which has no undefined values.
    const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const request = { method, accept: 'application/graphql-response+json', search, body: sent };
    const answered = await server.respond(request, async () => context);
    const { response } = answered;
    const text = String(answered.body);
    const headers: Record<string, string> = Object.fromEntries(response.headers);
    return { status: response.status ?? 200, headers, text, json: JSON.parse(text) };
  }
  return { server, send, counts, lines };
}
