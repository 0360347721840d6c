import { getIntrospectionQuery } from 'graphql';
import type { AttackedGateway } from './attacked-gateway.ts';
import { type Shape, testShapes } from './loop-delay.ts';

/** The first request that a new process gets: none of its code is compiled by V8, and no document is known. */
const first = (name: string, send: (gateway: AttackedGateway) => Promise<unknown>): Shape => ({
  name: `first of all, ${name}`,
  async prepare(gateway) {
    await gateway.restart();
    return () => send(gateway);
  },
});

async function assess(gateway: AttackedGateway, symptoms: readonly string[]): Promise<void> {
  const { status, text } = await gateway.send('POST', '/api/v1/assessments/guest/', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ symptoms }),
  });
  if (status !== 201 && status !== 200) throw new Error(`${status} ${text.slice(0, 300)}`);
}

/** 1,976 tokens: objects with some fields, each under another name. */
const largest = `{ ${Array.from(
  { length: 52 },
  (_, at) =>
    `a${at}: article(databaseId: ${at}) { ...f${at % 5} categories { id name slug } } r${at}: repository(owner: "o", name: "n${at}") { id name owner { login } }`,
).join(
  ' ',
)} } ${Array.from({ length: 5 }, (_, at) => `fragment f${at} on Article { id headline commentCount publishedAt }`).join(' ')}`;

await testShapes(
  'first requests',
  [
    first('an introspection', gateway => gateway.graphql(getIntrospectionQuery())),
    first('a document of 2,000 tokens', async gateway => {
      const { text } = await gateway.graphql(largest);
      if (/tokens|VALIDATION/i.test(text)) throw new Error(text.slice(0, 300));
    }),
    first('a document of unknown fields', gateway =>
      gateway.graphql(`{ ${Array.from({ length: 990 }, (_, at) => `unknown${at}`).join(' ')} }`),
    ),
    first('a repository', gateway => gateway.send('GET', '/repos/harbor-lab/compass')),
    first('a comparison', gateway => gateway.send('GET', '/repos/harbor-lab/compass/compare/main...main')),
    first('a page', gateway => gateway.send('GET', '/harbor-lab/compass', { headers: { accept: 'text/html' } })),
    first('a search of articles', gateway => gateway.send('GET', '/api/v1/articles/?search=pain')),
    first('an assessment', gateway => assess(gateway, ['a crushing pain in my chest', 'short of breath'])),
    first('an assessment in another language', gateway => assess(gateway, ['Mon bébé a avalé une pile'])),
  ],
  async gateway => {
    const { status, text } = await gateway.send('GET', '/repos/harbor-lab/compass');
    if (status !== 200) throw new Error(text);
  },
);
