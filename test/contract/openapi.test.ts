import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openScopes } from '../../rest-facade/hosting/product.ts';
import { hostingScopes } from '../../src/auth/hosting-scopes.ts';
import { testGateway } from '../harness/gateway.ts';
import { contracts } from './contracts.ts';

const gateway = await testGateway({ data: 'empty' });

interface Reply {
  $ref?: string;
  description?: string;
  content?: Record<string, { schema?: object; example?: unknown }>;
}

interface Described {
  operationId: string;
  summary: string;
  parameters?: { $ref?: string; name: string; in: string; description?: string }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, Reply>;
  security?: object[];
}

const documents = await Promise.all(
  contracts.map(async ({ product }) => ({
    product,
    document: (await gateway.request(`/openapi/${product.name}.json`)).json,
  })),
);
const operationsOf = (document: { paths: Record<string, Record<string, Described>> }): [string, Described][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): [string, Described] => [`${method.toUpperCase()} ${path}`, one]),
  );

describe.each(documents)('the document of $product.title', ({ document, product }) => {
  test('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toEqual({ valid: true });
  });

  test('has all components it refers to, and no unused ones', () => {
    const text = JSON.stringify(document);
    const referenced = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(found => found[1]));
    const declared = Object.keys(document.components.schemas);
    expect([...referenced].filter(name => !declared.includes(String(name)))).toEqual([]);
    // A product's error schemas are included even if no operation uses them.
    const unused = declared.filter(name => !referenced.has(name) && !(name in product.errorSchemas));
    expect(unused).toEqual([]);
  });

  test('describes every operation and every parameter', () => {
    for (const [name, { summary, parameters = [] }] of operationsOf(document)) {
      expect({ name, summary: summary.length > 5 }).toEqual({ name, summary: true });
      const known = document.components.parameters ?? {};
      const whole = parameters.map(parameter =>
        parameter.$ref === undefined ? parameter : known[parameter.$ref.split('/').at(-1) ?? ''],
      );
      const silent = whole.filter(parameter => !parameter.description).map(parameter => parameter.name);
      expect({ name, silent }).toEqual({ name, silent: [] });
    }
  });

  test('has a schema for every error, including 401, 429, 500 and 503', () => {
    const whole = (response: Reply): Reply =>
      response.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1) ?? ''];
    for (const [name, { responses }] of operationsOf(document)) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429', '500', '503']));
      const shapeless = Object.entries(responses).filter(
        ([status, response]) => Number(status) >= 400 && !whole(response).content?.['application/json']?.schema,
      );
      expect({ name, shapeless }).toEqual({ name, shapeless: [] });
    }
  });

  test('describes every tag, and shares responses that are the same', () => {
    const silent = document.tags.filter((tag: { description?: string }) => !tag.description);
    expect(silent).toEqual([]);
    expect(Object.keys(document.components.responses).length).toBeLessThan(25);
    const copies = operationsOf(document).flatMap(([, { responses }]) =>
      Object.entries(responses).filter(([status, { $ref }]) => Number(status) >= 400 && $ref === undefined),
    );
    expect(copies).toEqual([]);
  });

  test('has an example of every JSON body and of every JSON answer', () => {
    // A file is no text that an example could show; what no request of the demo world gets has none.
    const missing = operationsOf(document).flatMap(([name, { requestBody, responses }]) => {
      const contents = [
        requestBody?.content,
        ...Object.entries(responses).map(([status, { content }]) => (Number(status) < 300 ? content : undefined)),
      ];
      const json = contents.flatMap(content => content?.['application/json'] ?? []);
      return json.some(one => one.example !== undefined) || json.length === 0 ? [] : [name];
    });
    expect(missing).toEqual([]);
  });

  test('may be read by pages of every origin', async () => {
    const { headers } = await gateway.request(`/openapi/${product.name}.json`);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });
});

test('an operationId belongs to one operation of both contracts', () => {
  const ids = documents.flatMap(({ document }) => operationsOf(document).map(([, one]) => one.operationId));
  expect(ids.length).toBeGreaterThan(0);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('the document of the code hosting API', () => {
  const { document } = documents.find(({ product }) => product.name === 'hosting') as (typeof documents)[number];
  const operation = (name: string) =>
    operationsOf(document)
      .map(([, one]) => one)
      .find(one => one.operationId === name) as Described;

  test('names lists as they are sent', () => {
    const named = (name: string) => operation(name).parameters?.map(one => one.name);
    expect(named('GetApiSubjectStats')).toContain('sort');
    expect(named('ListRepoRulesets')).toContain('targets');
  });

  test('has parameters of headers among headers only', () => {
    const places = operation('ListPublicEvents').parameters ?? [];
    expect(places.filter(one => /if.none.match/i.test(one.name ?? '')).map(one => one.in)).toEqual(['header']);
  });

  test('has every form and status of contents', () => {
    const { responses } = operation('GetContent');
    expect(Object.keys(responses[200]?.content ?? {}).toSorted()).toEqual([
      'application/json',
      'application/vnd.host.html',
      'application/vnd.host.raw',
    ]);
    expect(responses).toHaveProperty('302');
  });

  test('has 409 on writes, and on writes only', () => {
    expect(operation('CreateOrUpdateFileContents').responses).toHaveProperty('409');
    expect(operation('StartImport').responses).toHaveProperty('409');
    expect(operation('GetContent').responses).not.toHaveProperty('409');
  });

  test.each([
    ['GetUser', [{}, { token: [] }]],
    ['GetContent', [{}, { token: [] }]],
    ['GetViewer', [{ token: [] }]],
    ['CheckToken', [{ client: [] }]],
    ['GetWebhookConfig', [{ app: [] }]],
  ])('%s says which credential it needs', (name, security) => {
    expect(operation(name).security).toEqual(security);
  });

  test('knows the access scopes that need no credential', () => {
    const open = Object.entries(hostingScopes).flatMap(([scope, { callers }]) =>
      callers === 'anybody' ? [scope] : [],
    );
    expect([...openScopes].toSorted()).toEqual([...open, 'public'].toSorted());
  });
});

describe.each(documents)('code generators of $product.title', ({ document }) => {
  /** Every object of the document, with its path. */
  function* objectsIn(value: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
    for (const [key, inner] of Object.entries(value))
      if (key !== 'example' && key !== 'examples') yield* objectsIn(inner, `${path}/${key}`);
  }

  test('every array says what its items are', () => {
    const bare = [...objectsIn(document)].filter(([, one]) => one.type === 'array' && one.items === undefined);
    expect(bare.map(([path]) => path)).toEqual([]);
  });

  test('every address of the documentation is absolute', () => {
    const addresses = [...objectsIn(document)].flatMap(([, { externalDocs }]) =>
      externalDocs === undefined ? [] : [(externalDocs as { url: string }).url],
    );
    expect(addresses.filter(url => !url.startsWith(`${gateway.url}/`))).toEqual([]);
  });
});
