import { expect, test } from '@jest/globals';
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { readConfig } from '../../src/config/config.ts';
import { buildGraph } from '../../src/server/graph.ts';
import { propertyWords } from '../contract/property-words.ts';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const schema = buildGraph(readConfig({}));
const gateway = await testGateway({ data: 'demo', settings: { RATE_LIMIT_FACTOR: '100000' } });
const demo = await demoOf(gateway);

const send = (query: string, variables?: unknown, operationName?: string): Promise<Answer> =>
  gateway.request('/graphql', {
    method: 'POST',
    headers: {
      'user-agent': 'portico tests',
      'content-type': 'application/json',
      authorization: `Bearer ${demo.users.wren.classic_token}`,
    },
    body: JSON.stringify({ query, variables, operationName }),
  });

/** No server error: neither as a status nor as the code of a field. */
function expectNoDefect(answer: Answer): void {
  expect(answer.status).toBeLessThan(500);
  expect(answer.text).not.toContain('INTERNAL');
}

describeDocuments();

function describeDocuments(): void {
  test.each(propertyWords)('%s is a name of a document like others', async word => {
    const documents = [
      `query ${word} { ${word}: __typename }`,
      `query ${word}($${word}: Int = 1) { ${word}: rateLimit { ${word}: limit } }`,
      `query ($${word}: String) { repository(owner: $${word}, name: $${word}) { name } }`,
      `{ ...${word} } fragment ${word} on Query { ${word}: __typename }`,
      `{ __typename @${word} }`,
      `{ __typename @include(${word}: true) }`,
      `{ ${word} }`,
      `{ __typename(${word}: ${word}) }`,
      `{ ... on ${word} { __typename } }`,
      `query ($x: ${word}) { __typename }`,
      `mutation { ${word}(input: { ${word}: ${word} }) { ${word} } }`,
      `subscription { ${word} }`,
      `{ __type(name: "${word}") { name fields { name } } }`,
      `{ node(id: "${word}") { id } nodes(ids: ["${word}"]) { id } }`,
    ];
    for (const document of documents) {
      expectNoDefect(await send(document));
      expectNoDefect(await send(document, JSON.parse(`{"${word}":"${word}"}`), word));
      expectNoDefect(await send(document, JSON.parse(`{"${word}":{"${word}":"${word}"}}`)));
    }
    expectNoDefect(await gateway.request(`/graphql?query={__typename}&operationName=${word}&${word}=${word}`));
    expectNoDefect(await gateway.request(`/graphql?query=query ${word}{__typename}&operationName=${word}`));
  });
}

const roots = [schema.getQueryType(), schema.getMutationType()].flatMap(type =>
  type ? Object.values(type.getFields()).map(field => ({ kind: type.name.toLowerCase(), field })) : [],
);

/** The value of an argument with a word wherever it takes a text, and a small value elsewhere. */
function valueFor(type: GraphQLInputType, word: string, depth = 0): unknown {
  if (isNonNullType(type)) return valueFor(type.ofType, word, depth);
  if (isListType(type)) return [valueFor(type.ofType, word, depth)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(one => depth < 2 || isNonNullType(one.type));
    return Object.fromEntries(fields.map(one => [one.name, valueFor(one.type, word, depth + 1)]));
  }
  if (type.name === 'Int' || type.name === 'Float') return 1;
  return type.name === 'Boolean' ? true : word;
}

const document = (kind: string, name: string, args: readonly GraphQLArgument[], isLeaf: boolean): string => {
  const variables = args.map(one => `$${one.name}: ${one.type}`).join(', ');
  const given = args.map(one => `${one.name}: $${one.name}`).join(', ');
  return `${kind}${variables && `(${variables})`} { ${name}${given && `(${given})`}${isLeaf ? '' : ' { __typename }'} }`;
};

test.each(['constructor', '__proto__', 'I am a constructor and I have crushing chest pain'])(
  'root fields take the text %s',
  async word => {
    for (const { kind, field } of roots) {
      if (field.name === '_service') continue;
      const variables = Object.fromEntries(field.args.map(one => [one.name, valueFor(one.type, word)]));
      const isLeaf = isLeafType(getNamedType(field.type));
      const answer = await send(document(kind, field.name, field.args, isLeaf), variables);
      if (answer.status >= 500 || answer.text.includes('INTERNAL'))
        throw new Error(`${kind} ${field.name}: ${answer.text.slice(0, 300)}`);
    }
  },
  120_000,
);
