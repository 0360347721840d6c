import type { GraphQLSchema } from 'graphql';
import { readConfig } from '../../src/config/config.ts';
import { type ContextDependencies, createContext } from '../../src/context/context.ts';
import { documentPolicy } from '../../src/server/document-policy.ts';
import { readGraphqlRequest } from '../../src/server/graphql-request.ts';
import { serialize } from '../../src/server/graphql-response.ts';
import { GraphqlServer, type GraphqlServerOptions } from '../../src/server/graphql-server.ts';
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
    const originalUrl =
      method === 'GET' ? `/graphql?${new URLSearchParams(body as Record<string, string>)}` : '/graphql';
    const request = await readGraphqlRequest({ method, body, originalUrl, headers: {} } as never);
    const context = createContext(source, { kind: 'anonymous', ip: '' }, '');
    const answer = await server.respond(request, context);
    const text = String(await serialize(answer));
    return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) };
  }
  return { server, send, counts, lines };
}
