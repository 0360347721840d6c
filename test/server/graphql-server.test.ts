import { describe, expect, test } from '@jest/globals';
import { buildSchema, GraphQLError } from 'graphql';
import { notFound, serviceUnavailable } from '../../src/errors/errors.ts';
import { bareGraphqlServer } from '../harness/bare-graphql-server.ts';

// A separate graph with fields that fail in every way and fields that succeed, which the product's graph lacks.
const graph = buildSchema(`
  type Query { fine: String  absent: String  broken: String  hollow: String!  late: String  number: Int  odd: Odd }
  type Mutation { write: String }
  interface Odd { id: Int }
  type Even implements Odd { id: Int }
`);
const { send, lines } = bareGraphqlServer(graph);
const ask = (query: string, method: 'GET' | 'POST' = 'POST') => send({ query }, method);

const failing = (error: Error) => () => {
  throw error;
};
const root = {
  fine: 'fine',
  absent: failing(notFound()),
  broken: failing(new Error('select secret from table')),
  hollow: null,
  late: failing(serviceUnavailable()),
  number: 'no number',
  odd: { __typename: 'Nothing' },
  write: 'written',
};
for (const [type, resolvers] of Object.entries({ Query: root, Mutation: root })) {
  for (const field of Object.values(
    (graph.getType(type) as ReturnType<typeof graph.getQueryType>)?.getFields() ?? {},
  )) {
    const value: unknown = resolvers[field.name as keyof typeof root];
    field.resolve = () => (typeof value === 'function' ? value() : value);
  }
}

describe('the status of a response', () => {
  test('with data is 200, also if other fields failed', async () => {
    for (const field of ['absent', 'broken', 'late']) {
      const { status, json } = await ask(`{ fine ${field} }`);
      expect({ field, status, data: json.data }).toEqual({ field, status: 200, data: { fine: 'fine', [field]: null } });
      expect(json.errors).toHaveLength(1);
    }
    lines.splice(0);
  });

  test('to a mutation by GET is 405, and nothing is written', async () => {
    const { status, headers, json } = await ask('mutation { write }', 'GET');
    expect(status).toBe(405);
    expect(headers.allow).toBe('POST');
    expect(json.data).toBeUndefined();
    expect((await ask('mutation { write }')).json.data).toEqual({ write: 'written' });
  });
});

describe('an error', () => {
  test('with a code keeps its code and message and is not logged', async () => {
    const { json } = await ask('{ absent }');
    expect(json.errors[0]).toMatchObject({
      message: 'Not found.',
      path: ['absent'],
      extensions: { code: 'NOT_FOUND' },
    });
    expect(json.errors[0].extensions).toEqual({ code: 'NOT_FOUND' });
    expect(lines.splice(0)).toEqual([]);
  });

  test.each([
    ['thrown by a resolver', '{ broken }'],
    ['of null in a non-null field', '{ hollow }'],
    ['of a value that its type cannot serialize', '{ number }'],
    ['of an object of an unknown type', '{ odd { id } }'],
  ])('that is a defect, %s, is logged once and sent without detail', async (_, query) => {
    const { status, json } = await ask(query);
    expect(status).toBe(500);
    expect(json.errors).toEqual([
      {
        message: 'A server error occurred.',
        path: [expect.any(String)],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ]);
    const logged = lines.splice(0).map(line => JSON.parse(line));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ level: 50, msg: 'a resolver failed', err: { message: expect.any(String) } });
  });

  test('that is a GraphQLError without a code is a defect', async () => {
    const field = graph.getQueryType()?.getFields().fine;
    const before = field?.resolve;
    if (field) field.resolve = failing(new GraphQLError('details'));
    try {
      const { json } = await ask('{ fine }');
      expect(json.errors[0].message).toBe('A server error occurred.');
      expect(lines.splice(0)).toHaveLength(1);
    } finally {
      if (field && before) field.resolve = before;
    }
  });
});
