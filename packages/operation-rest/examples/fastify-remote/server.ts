import { join } from 'node:path';
import { fastify } from 'fastify';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { createFacade, defineProduct, type GraphQLResult } from 'operation-rest';
import { fastifyPlugin } from 'operation-rest/fastify';

/** Endpoints over the GraphQL server at REMOTE_URL, which is asked over HTTP; its schema is introspected at the start. */
const remote = process.env.REMOTE_URL ?? 'http://127.0.0.1:4000/graphql';

async function ask(body: object, authorization = ''): Promise<GraphQLResult> {
  const answer = await fetch(remote, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', authorization },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as GraphQLResult;
}

const { data } = await ask({ query: getIntrospectionQuery() });
const facade = createFacade({
  product: defineProduct({
    name: 'remote',
    title: 'Remote',
    version: '1',
    folder: join(import.meta.dirname, 'operations'),
  }),
  graph: buildClientSchema(data as unknown as IntrospectionQuery),
  execute: ({ query, operationName, variables, context }) => ask({ query, operationName, variables }, String(context)),
  context: request => request.headers.authorization ?? '',
  origin: request => `http://${request.headers.host}`,
  onDefect: console.error,
});
const app = fastify();
app.register(fastifyPlugin(facade));
console.log(await app.listen({ port: Number(process.env.PORT ?? 4001), host: '127.0.0.1' }));
