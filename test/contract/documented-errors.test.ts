import { describe, expect, test } from '@jest/globals';
import { bodyMethods, buildOpenApi, type Endpoint, type Product } from 'operation-rest';
import { contracts, createTestFacade, serve } from './contracts.ts';
import { PublishedSchema } from './published-schema.ts';

/** A request that the engine refuses before an operation is executed. */
interface Refused {
  name: string;
  /** Undefined where the endpoint cannot refuse it. */
  of(endpoint: Endpoint, product: Product): { query?: string; init?: RequestInit } | undefined;
}

const json = { 'content-type': 'application/json', 'user-agent': 'test' };
const takesBody = ({ operation }: Endpoint): boolean => bodyMethods.has(operation.method);

const refusals: Refused[] = [
  {
    name: 'a media type that is not served',
    of: () => ({ init: { headers: { accept: 'text/x-unknown', 'user-agent': 'test' } } }),
  },
  {
    name: 'a version that is not supported',
    of: (_endpoint, { versions }) =>
      versions && { init: { headers: { [versions.header]: '1970-01-01', 'user-agent': 'test' } } },
  },
  {
    name: 'no User-Agent',
    of: (_endpoint, { userAgent }) =>
      userAgent === 'required' ? { init: { headers: { 'user-agent': ' ' } } } : undefined,
  },
  {
    name: 'a malformed body',
    of: endpoint => (takesBody(endpoint) ? { init: { headers: json, body: '{' } } : undefined),
  },
  {
    name: 'a body that is no object',
    of: endpoint => (takesBody(endpoint) ? { init: { headers: json, body: '[]' } } : undefined),
  },
  {
    name: 'a body of another type',
    of: (endpoint, { contentType }) =>
      takesBody(endpoint) && contentType !== 'any'
        ? { init: { headers: { ...json, 'content-type': 'text/csv' }, body: 'a' } }
        : undefined,
  },
  {
    name: 'a body that is too large',
    of: endpoint =>
      takesBody(endpoint) && endpoint.operation.maxBodyBytes <= 1024 * 1024
        ? { init: { headers: json, body: ' '.repeat(endpoint.operation.maxBodyBytes + 1) } }
        : undefined,
  },
  {
    name: 'a query that links cannot repeat',
    of: ({ operation, plan }) => {
      const text = operation.parameters.find(
        one => !operation.pathParameters.includes(one.name) && String(one.type) === 'String',
      );
      return plan.page && text
        ? { query: `?${text.name}=${'x'.repeat(5_000)}`, init: { headers: { 'user-agent': 'test' } } }
        : undefined;
    },
  },
  {
    name: 'a parameter that is not valid',
    of: ({ operation }) => {
      const typed = operation.parameters.find(
        one =>
          !one.orDefault &&
          !operation.pathParameters.includes(one.name) &&
          /^(SafeInt|Boolean|DateTime)!?$/.test(String(one.type)),
      );
      if (!typed || typed.place === 'header') return undefined;
      return bodyMethods.has(operation.method)
        ? { init: { headers: json, body: JSON.stringify({ [typed.name]: {} }) } }
        : { query: `?${typed.name}=x`, init: { headers: { 'user-agent': 'test' } } };
    },
  },
  {
    name: 'a date that cannot be read',
    of: ({ operation }, { etags }) =>
      etags === 'of-body' && operation.method === 'GET'
        ? { init: { headers: { 'if-modified-since': 'yesterday', 'user-agent': 'test' } } }
        : undefined,
  },
];

/** Refusals that no endpoint of a product has. */
const minimum: Record<string, Record<string, number>> = {
  'a version that is not supported': { health: 0 },
  'no User-Agent': { health: 0 },
  'a body of another type': { hosting: 0 },
  'a date that cannot be read': { health: 0 },
};

/** Values that are well-formed for the type of a parameter. */
function sampleValue(type: string, choices: readonly string[] | undefined): string {
  if (choices) return choices[0] ?? '';
  if (/Int|Float/.test(type)) return '1';
  return /UUID/.test(type) ? '00000000-0000-4000-8000-000000000000' : 'a';
}

// No operation is executed: each request is refused before.
const served = await Promise.all(
  contracts.map(async contract => ({
    ...contract,
    url: await serve(createTestFacade(contract.product, { onDefect: () => undefined })),
  })),
);

describe.each(served)('$product.title', ({ product, endpoints, url }) => {
  const document = buildOpenApi(product, endpoints) as {
    components: { schemas: Record<string, { enum?: string[] }> };
    paths: Record<
      string,
      Record<
        string,
        {
          parameters?: { name: string; in: string; schema: { $ref?: string } }[];
          responses: Record<string, { $ref?: string }>;
        }
      >
    >;
  };
  const schema = new PublishedSchema(document as unknown as Record<string, unknown>);
  const documented = ({ operation }: Endpoint) =>
    document.paths[operation.path.replaceAll('{+', '{')]?.[operation.method.toLowerCase()];

  test.each(refusals)('documents the answer to $name', async ({ name, of }) => {
    const found: string[] = [];
    let asked = 0;
    for (const endpoint of endpoints) {
      const { operation } = endpoint;
      const request = of(endpoint, product);
      if (!request) continue;
      const path = operation.path.replace(/\{\+?(\w+)\}/g, (_, name: string) => {
        const type = operation.parameters.find(one => one.name === name)?.type;
        const ref = documented(endpoint)
          ?.parameters?.find(one => one.name === name)
          ?.schema.$ref?.split('/')
          .at(-1);
        return sampleValue(String(type), ref === undefined ? undefined : document.components.schemas[ref]?.enum);
      });
      const answer = await fetch(`${url}${product.basePaths[0]}${path}${request.query ?? ''}`, {
        method: operation.method,
        redirect: 'manual',
        ...request.init,
      });
      asked++;
      const text = await answer.text();
      // A retired endpoint is published as 503.
      const isPublished = operation.retired !== undefined && answer.status === 503;
      if (answer.status < 400 || (answer.status >= 500 && !isPublished))
        found.push(`${operation.name} is answered ${answer.status} ${text}`);
      else if (!documented(endpoint)?.responses[answer.status])
        found.push(`${operation.name} does not document ${answer.status}`);
      else if (answer.headers.get('content-type')?.startsWith('application/json'))
        found.push(
          ...schema
            .problems(operation.method, operation.path.replaceAll('{+', '{'), answer.status, JSON.parse(text))
            .map(problem => `${operation.name}, ${answer.status}: ${problem}`),
        );
    }
    expect(found).toEqual([]);
    expect(asked).toBeGreaterThanOrEqual(minimum[name]?.[product.name] ?? 1);
  });

  test('has every parameter under the name and in the place in which it is read', () => {
    for (const endpoint of endpoints) {
      const { operation } = endpoint;
      const described = (documented(endpoint)?.parameters ?? []).filter(
        one => !('$ref' in one) && one.name !== 'If-Match',
      );
      const places = operation.parameters
        .filter(({ place }) => place !== 'body')
        .map(({ name, place, headerName }) => `${place} ${place === 'header' ? headerName : name}`)
        .concat(operation.kind === 'mutation' ? ['header Idempotency-Key'] : []);
      expect(described.map(one => `${one.in} ${one.name}`).toSorted()).toEqual(places.toSorted());
    }
  });
});
