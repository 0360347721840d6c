import { describe, expect, test } from '@jest/globals';
import { type Endpoint, pathParameterNames } from 'operation-rest';
import { testGateway } from '../harness/gateway.ts';
import { contracts, publicReads } from './contracts.ts';
import { PublishedSchema } from './published-schema.ts';
import { findSamples, missingCalls, type Samples, sampleCalls, sampleOf } from './samples.ts';

// With rate limits on, because their headers are documented.
const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: '1000000' } });
const samples = await findSamples(gateway);

/** By product: schema of errors, and statuses of an unsupported method and of OPTIONS. */
const words: Record<string, { error: string; wrongMethod: number; options: number }> = {
  health: { error: 'Detail', wrongMethod: 405, options: 200 },
  // Anonymous callers get 403 before 405.
  hosting: { error: 'BasicError', wrongMethod: 403, options: 204 },
};

// Connection and keep-alive depend on the client, which closes after HEAD. Rate limit headers count down.
const varying = new Set(['date', 'x-request-id', 'x-host-request-id', 'connection', 'keep-alive']);
const headersOf = (headers: Headers): [string, string][] =>
  [...headers].filter(([name]) => !varying.has(name) && !name.startsWith('x-ratelimit-'));

for (const { product, endpoints } of contracts) {
  const { json: document } = await gateway.request(`/openapi/${product.name}.json`);
  const schema = new PublishedSchema(document);
  const own = words[product.name];
  if (!own) throw new Error(`test/contract/documented-paths.test.ts does not know the product ${product.name}.`);

  describe(`${product.title}: every operation`, () => {
    test('is in the published document, which has no other operation', () => {
      const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods as object).map(method => `${method.toUpperCase()} ${path}`),
      );
      const written = endpoints.map(({ operation }) => `${operation.method} ${operation.path.replaceAll('{+', '{')}`);
      expect(documented.toSorted()).toEqual(written.toSorted());
    });

    for (const base of product.basePaths) {
      for (const endpoint of publicReads(endpoints)) {
        const { method, path: template, status } = endpoint.operation;
        describe(`${method} ${base}${template}`, () => {
          test('responds as documented to every sample', async () => {
            for (const { name, path } of sampleCalls(endpoint, samples)) {
              const answer = await gateway.request(`${base}${path}`, { method });
              expect({ name, status: answer.status, text: answer.status === status ? '' : answer.text }).toEqual({
                name,
                status,
                text: '',
              });
              const { content = {} } =
                document.paths[template.replaceAll('{+', '{')][method.toLowerCase()].responses[answer.status] ?? {};
              if ('text/plain' in content) {
                expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
                continue;
              }
              expect(answer.headers.get('content-type')).toBe(answer.status === 204 ? null : product.jsonType);
              if (answer.status === 204) continue;
              const problems = schema.problems(method, template.replaceAll('{+', '{'), answer.status, answer.json);
              expect({ name, problems }).toEqual({ name, problems: [] });
            }
          });

          if (pathParameterNames(template).length > 0) {
            test('is 404 with the product’s error JSON for absent resources', async () => {
              for (const { name, path } of missingCalls(endpoint, samples)) {
                const answer = await gateway.request(`${base}${path}`, { method });
                expect({ name, status: answer.status }).toEqual({ name, status: 404 });
                expect({ name, problems: schema.problemsAs(own.error, answer.json) }).toEqual({ name, problems: [] });
              }
            });
          }

          test('has the product’s error JSON for an unsupported method', async () => {
            const [call] = sampleCalls(endpoint, samples);
            const served = methodsAt(endpoints, template);
            for (const wrong of ['POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'].filter(
              candidate => !served.has(candidate),
            )) {
              const answer = await gateway.request(`${base}${call?.path}`, { method: wrong });
              expect({ wrong, status: answer.status }).toEqual({
                wrong,
                status: wrong === 'PURGE' ? 405 : own.wrongMethod,
              });
              // Not to whom the path is not open.
              const allow = answer.status === 405 ? allowOf(served) : undefined;
              expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(allow);
              expect(schema.problemsAs(own.error, answer.json)).toEqual([]);
            }
          });

          test('has its methods in the response to OPTIONS and to a preflight', async () => {
            const [call] = sampleCalls(endpoint, samples);
            const allow = allowOf(methodsAt(endpoints, template));
            const plain = await gateway.request(`${base}${call?.path}`, { method: 'OPTIONS' });
            expect(plain.status).toBe(own.options);
            expect(plain.headers.get('allow')?.split(', ').toSorted()).toEqual(allow);
            // A preflight has no credential; an invalid one must not be answered 401 either.
            const preflight = await gateway.request(`${base}${call?.path}`, {
              method: 'OPTIONS',
              headers: {
                Origin: 'https://page.example',
                'Access-Control-Request-Method': method,
                Authorization: 'Bearer nonsense',
              },
            });
            expect(preflight.status).toBe(204);
            expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
            const documented = product.cors.methods?.toSorted() ?? allow;
            expect(preflight.headers.get('access-control-allow-methods')?.split(', ').toSorted()).toEqual(documented);
          });

          if (method === 'GET') {
            test('has the headers of GET and no body for HEAD', async () => {
              const paths = [...sampleCalls(endpoint, samples), ...missingCalls(endpoint, samples)].map(
                call => call.path,
              );
              for (const path of paths) {
                const get = await gateway.request(`${base}${path}`);
                const head = await gateway.request(`${base}${path}`, { method: 'HEAD' });
                expect({ path, status: head.status, text: head.text }).toEqual({ path, status: get.status, text: '' });
                expect(headersOf(head.headers)).toEqual(headersOf(get.headers));
              }
            });
          }
        });
      }
    }
  });
}

function methodsAt(endpoints: readonly Endpoint[], path: string): Set<string> {
  return new Set(
    endpoints.filter(endpoint => endpoint.operation.path === path).map(endpoint => endpoint.operation.method),
  );
}

function allowOf(methods: Set<string>): string[] {
  return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted();
}

test('an operation without samples is reported with file and parameter', () => {
  const [endpoint] = contracts[0]?.endpoints ?? [];
  const none: Samples = {};
  expect(() => sampleOf(endpoint as Endpoint, 'colour', none)).toThrow(
    /health\/\w+\/.*«colour».*test\/contract\/samples\.ts/,
  );
});

test('a response with an undocumented key, without a documented one, or of another type does not conform', async () => {
  const schema = new PublishedSchema((await gateway.request('/openapi/health.json')).json);
  const problems = (body: unknown): string[] => schema.problems('GET', '/articles/{id}/', 200, body);
  const [id] = samples['GetArticle.id']?.good ?? [];
  const { json: article } = await gateway.request(`/api/v1/articles/${id}/`);
  expect(problems(article)).toEqual([]);
  expect(problems({ ...article, secret: 1 })).not.toEqual([]);
  expect(problems({ ...article, related: [{ ...article.related[0], secret: 1 }] })).not.toEqual([]);
  expect(problems({ ...article, headline: undefined })).not.toEqual([]);
  expect(problems({ ...article, published_at: 'yesterday' })).not.toEqual([]);
  expect(schema.problems('GET', '/articles/{id}/', 418, {})).not.toEqual([]);
});
