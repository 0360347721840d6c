import { describe, expect, test } from '@jest/globals';
import { text } from 'operation-rest';
import { contentTypeForForm } from '../../rest-facade/hosting/media-types.ts';
import { hostingProduct } from '../../rest-facade/hosting/product.ts';
import { buildTestSchema, echo } from './build-test-schema.ts';
import { bootError, startTestFacade } from './test-facade.ts';

const graph = buildTestSchema(
  `enum Form { JSON RAW HTML OBJECT }
  type Raw { text: String! }
  type Plain { form: String! }
  union Shown = Raw | Plain
  type Query { get(form: Form): String!, say(form: String, version: String, paths: [String!]): String!, show(form: Form!): Shown! }`,
  {
    Query: {
      get: echo,
      say: echo,
      show: (_: unknown, { form }: { form: string }) =>
        form === 'RAW' ? { __typename: 'Raw', text: '# ž' } : { __typename: 'Plain', form },
    },
  },
);
const operations = {
  'a/get.graphql': `query Get($form: Form = JSON @negotiated(on: MEDIA_TYPE)) @rest(method: GET, path: "/contents") { get(form: $form) @body }`,
  'a/readme.graphql': `query Readme($form: Form = RAW @negotiated(on: MEDIA_TYPE)) @rest(method: GET, path: "/readme") { get(form: $form) @body }`,
  'a/text.graphql': `query Text($form: String @negotiated(on: MEDIA_TYPE), $version: String @negotiated(on: VERSION))
    @rest(method: GET, path: "/text/of", otherPaths: ["/text"]) { say(form: $form, version: $version) @body }`,
  'a/show.graphql': `query Show($form: Form! = JSON @negotiated(on: MEDIA_TYPE)) @rest(method: GET, path: "/shown") {
    show(form: $form) @body { ... on Raw { text } ... on Plain { form } } }`,
};
const responders = { Raw: { send: text(contentTypeForForm('host', 'raw')), responses: {} } };
const facade = await startTestFacade({ graph, operations, product: 'hosting-like', overrides: { responders } });
const get = (path: string, accept: string) => facade.request(path, { headers: { accept } });
const formOf = async (path: string, accept: string): Promise<string> => JSON.parse((await get(path, accept)).json).form;

describe('the form that is asked for', () => {
  test.each([
    ['application/vnd.host+json', 'JSON', 'host.v3; format=json'],
    ['application/vnd.host.v3+json', 'JSON', 'host.v3; format=json'],
    ['application/vnd.host', 'JSON', 'host.v3'],
    ['application/vnd.host.raw', 'RAW', 'host.v3; param=raw'],
    ['application/vnd.host.v3.raw', 'RAW', 'host.v3; param=raw'],
    ['application/vnd.host.raw+json', 'RAW', 'host.v3; param=raw; format=json'],
    ['APPLICATION/VND.HOST.OBJECT+JSON', 'OBJECT', 'host.v3; param=object; format=json'],
    ['application/vnd.host.v3.object+json; charset=utf-8', 'OBJECT', 'host.v3; param=object; format=json'],
    ['application/json', 'JSON', 'unknown, host.v3'],
    ['*/*', 'JSON', 'unknown, host.v3'],
    // An unknown form is JSON.
    ['application/vnd.host.mercy-preview+json', 'JSON', 'host.v3; param=mercy-preview; format=json'],
    // The first supported range.
    ['application/xml, application/vnd.host.html, application/vnd.host.raw', 'HTML', 'host.v3; param=html'],
    ['application/vnd.host.html;q=0, application/vnd.host.raw;q=0.1', 'RAW', 'host.v3; param=raw'],
    ['application/vnd.other.raw, */*', 'JSON', 'unknown, host.v3'],
  ])('by «%s» is %s, told as «%s»', async (accept, form, told) => {
    const { headers, status } = await get('/contents', accept);
    expect([status, headers.get('x-host-media-type')]).toEqual([200, told]);
    expect(await formOf('/contents', accept)).toBe(form);
  });

  test('is the operation’s own where the caller takes anything, and JSON where it is not known', async () => {
    expect(await formOf('/readme', '*/*')).toBe('RAW');
    expect(await formOf('/readme', 'application/json')).toBe('JSON');
    expect(await formOf('/readme', 'application/vnd.host+json')).toBe('JSON');
    expect(await formOf('/readme', 'application/vnd.host.diff')).toBe('JSON');
  });

  test('reaches a text as it is, beside the version', async () => {
    const asked = await get('/text', 'application/vnd.host.diff');
    expect(JSON.parse(asked.json)).toEqual({ form: 'diff', version: '2022-11-28' });
    expect(JSON.parse((await get('/text', '*/*')).json).form).toBeUndefined();
  });

  test('is no parameter: neither a query string nor the document knows it', async () => {
    expect(JSON.parse((await get('/contents?form=raw', '*/*')).json).form).toBe('JSON');
    const { paths } = facade.document() as { paths: Record<string, { get: { parameters: unknown[] } }> };
    expect(paths['/contents']?.get.parameters).toEqual([{ $ref: '#/components/parameters/ApiVersion' }]);
  });

  test('needs a default', () => {
    const wrong = { 'a/get.graphql': operations['a/show.graphql'].replace(' = JSON', '') };
    expect(bootError({ graph, operations: wrong })).toContain('$form is negotiated by Accept and needs a default.');
  });
});

describe('an Accept that names nothing that is served', () => {
  test.each(['application/xml', 'text/html, image/*', 'application/octet-stream', 'application/vnd.other+json'])(
    '%s is 415',
    async accept => {
      const { status, json } = await get('/contents', accept);
      expect([status, json]).toEqual([
        415,
        {
          message: `Unsupported 'Accept' header: '${accept}'. Must accept 'application/json'.`,
          documentation_url: 'https://docs.example.org/v3/media',
          status: '415',
        },
      ]);
    },
  );

  test('on an unknown path is 404 all the same', async () => {
    expect((await get('/nowhere', 'application/xml')).status).toBe(404);
  });
});

describe('a text of its own form', () => {
  test.each([
    ['application/vnd.host.raw', 'application/vnd.host.raw; charset=utf-8'],
    ['application/vnd.host.v3.raw+json', 'application/vnd.host.v3.raw+json; charset=utf-8'],
  ])('asked for as %s is sent as %s', async (accept, type) => {
    const { text: sent, headers, status } = await get('/shown', accept);
    expect([status, sent, headers.get('content-type'), headers.get('content-length')]).toEqual([200, '# ž', type, '4']);
    const head = await facade.request('/shown', { method: 'HEAD', headers: { accept } });
    expect([head.text, head.headers.get('content-length')]).toEqual(['', '4']);
  });

  test('stands beside the JSON of other outcomes', async () => {
    const { json, headers } = await get('/shown', 'application/vnd.host.object+json');
    expect(json).toEqual({ form: 'OBJECT' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

test('the brand is in media types and headers', async () => {
  const { negotiate, versions, cors } = hostingProduct({ brand: { word: 'github', name: 'GitHub' } });
  expect(negotiate('application/vnd.github.v3.raw')).toEqual({
    variant: 'raw',
    sent: 'application/vnd.github.v3.raw',
    headers: { 'X-GitHub-Media-Type': 'github.v3; param=raw' },
  });
  expect(negotiate('application/vnd.host.v3.raw')).toEqual(negotiate('application/vnd.github.v3.raw'));
  expect(negotiate('application/vnd.example+json')).toMatchObject({ kind: 'not-acceptable' });
  expect([versions?.header, versions?.selectedHeader]).toEqual([
    'X-GitHub-Api-Version',
    'X-GitHub-Api-Version-Selected',
  ]);
  expect(cors.exposeHeaders).toContain('X-GitHub-Media-Type');
});
