import { describe, expect, test } from '@jest/globals';
import { call } from '../harness/hosting.ts';
import { bothProducts } from './both-products.ts';
import { healthCalls } from './health-calls.ts';
import { officialCalls } from './official-calls/official-calls.ts';
import { type AnswerSchema, floatsOf, parseWritten } from './published-floats.ts';

/** Clients in languages with integers read `1` and `1.5` of one property as two types; times sort as texts if all have as many digits. */
const { gateway, health, hosting } = await bothProducts();

interface Answer {
  content?: Record<string, { schema?: AnswerSchema }>;
}

interface Described {
  operationId: string;
  responses: Record<string, Answer>;
}

/** The operations of a document whose first answer may have a number with a point. */
async function withFloats(name: string) {
  const { json: document } = await gateway.request(`/openapi/${name}.json`);
  const component = (one: string): AnswerSchema => document.components.schemas[one];
  const hasFloat = (schema: AnswerSchema, seen = new Set<string>()): boolean => {
    const called = schema.$ref?.split('/').at(-1);
    if (called !== undefined) return !seen.has(called) && hasFloat(component(called), seen.add(called));
    const inner = [schema.anyOf, schema.oneOf, schema.allOf, schema.items, Object.values(schema.properties ?? {})];
    return [schema.type].flat().includes('number') || inner.flat().some(one => one && hasFloat(one, seen));
  };
  return Object.values(document.paths as Record<string, Record<string, Described>>)
    .flatMap(methods => Object.entries(methods))
    .flatMap(([method, { operationId, responses }]) => {
      const success = Object.entries(responses).find(([status]) => Number(status) < 300)?.[1];
      const schema = success?.content?.['application/json']?.schema;
      return schema && hasFloat(schema) ? [{ name: operationId, method: method.toUpperCase(), schema, component }] : [];
    });
}

const isPointed = (text: string): boolean => /[.e]/.test(text);

describe.each(await withFloats('health'))('health $name', ({ name, method, schema, component }) => {
  test('writes every number with a point', async () => {
    const { path = '', body, access } = (await healthCalls[name]?.(health)) ?? {};
    const { text } = await gateway.request(`/api/v1${path}`, {
      method,
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const found = [...floatsOf(parseWritten(text), schema, component)];
    expect(found.filter(([, written]) => !isPointed(written))).toEqual([]);
  });
});

describe.each(await withFloats('hosting'))('hosting $name', ({ name, method, schema, component }) => {
  test('writes every number with a point', async () => {
    const made = [await officialCalls[name.split('/').at(-1) ?? name]?.(hosting)].flat();
    let count = 0;
    for (const one of made) {
      if (!one) continue;
      const headers = one.accept === undefined ? {} : { accept: one.accept };
      const { text } = await call(gateway, method, one.path, one.authorization, one.body, headers);
      const found = [...floatsOf(parseWritten(text), schema, component)];
      count += found.length;
      expect(found.filter(([, written]) => !isPointed(written))).toEqual([]);
    }
    expect(count).toBeGreaterThan(0);
  });
});

const asAmira = async (query: string): Promise<string> => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${health.amira}` };
  const { status, text } = await gateway.request('/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return text;
};

/** Times of a text with a zone. */
const timesOf = (text: string): string[] =>
  text.replace(/,"extensions".*/, '').match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];

test('the graph writes six digits of a second, in lists that PostgreSQL prints and in those that are executed', async () => {
  const printed = '{ articles(first: 5) { nodes { publishedAt updatedAt } } }';
  const executed = '{ articles(first: 5) { edges { node { publishedAt updatedAt } } } }';
  const [one, other] = [timesOf(await asAmira(printed)), timesOf(await asAmira(executed))];
  expect(one).toHaveLength(10);
  expect(one).toEqual(other);
  expect(one.filter(time => !/:\d\d\.\d{6}Z$/.test(time))).toEqual([]);
});

test('the graph writes numbers with a point', async () => {
  const text = await asAmira('{ recommendedArticles(first: 3) { nodes { score } edges { node { score } } } }');
  const scores = text.match(/"score":[^,}]+/g) ?? [];
  expect(scores.filter(score => !score.includes('.'))).toEqual([]);
});

describe('a day or a time that does not exist is refused', () => {
  const instants = [
    ...['2026-02-29T10:00:00Z', '2026-02-30T10:00:00Z', '2026-04-31T10:00:00Z', '2026-13-01T10:00:00Z'],
    ...['2026-10-01T24:00:00Z', '2026-10-01T23:60:00Z', '2026-06-30T23:59:60Z', '2026-10-01T10:00:00+24:00'],
    ...['2026-W40-4T10:00:00Z', '2026-274T10:00:00Z', '2026-10-01T10Z', '2100-02-29T10:00:00Z'],
  ];
  const days = ['2026-02-29', '2026-04-31', '2026-W40-4', '2026-274', '2026-00-10', '2026-10-00', '1900-02-29'];

  test.each(instants)('the time %s, in both contracts and the graph', async instant => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${health.amira}` };
    const vitals = await gateway.request('/api/v1/health/vitals/', {
      method: 'POST',
      headers,
      body: JSON.stringify({ steps: 1, measured_at: instant }),
    });
    expect(vitals.json).toEqual({ measured_at: [expect.stringMatching(/wrong format/)] });
    const commits = await gateway.request(`/repos/harbor-lab/compass/commits?since=${encodeURIComponent(instant)}`);
    expect(commits.status).toBe(422);
    const graph = await gateway.graphql(
      'query ($at: DateTime!) { organization(login: "harbor-lab") { apiInsights(from: $at) { from } } }',
      {
        at: instant,
      },
    );
    expect(graph.status).toBe(400);
  });

  test.each(days)('the day %s', async target => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${health.amira}` };
    const goal = { goal_type: 'steps', target_value: '8000', description: 'A walk', target_date: target };
    const { json } = await gateway.request('/api/v1/health/goals/', {
      method: 'POST',
      headers,
      body: JSON.stringify(goal),
    });
    expect(json).toEqual({ target_date: [expect.stringMatching(/wrong format/)] });
  });
});
