import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { version } from '../../src/pages/explorer/graphiql.ts';
import { testGateway } from '../harness/gateway.ts';

const demo = {
  health: { email: 'amira@example.org', password: 'the-demo-password' },
  hosting: { login: 'wren', token: 'the-demo-token', organization: 'harbor-lab' },
  service: 'the-demo-service-credential',
  file: '/data/demo.json',
};
const gateway = await testGateway({ data: 'empty', demo });
const html = { accept: 'text/html' };

test('the version in the entity tag is that of the package', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(version).toBe(dependencies['@graphql-yoga/render-graphiql']);
});

test('the explorer and its parts come from this origin and are kept by browsers', async () => {
  const page = await gateway.request('/graphiql', { headers: html });
  expect(page.status).toBe(200);
  const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address as string);
  expect(addresses).toEqual(['/favicon.svg', '/graphiql/graphiql.css', '/graphiql/graphiql.js']);
  for (const address of addresses) {
    const part = await gateway.request(address);
    expect([address, part.status]).toEqual([address, 200]);
  }
  const { headers } = await gateway.request('/graphiql/graphiql.js');
  const again = await gateway.request('/graphiql/graphiql.js', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
  // The tag of what is compressed on the way is weak.
  const brotli = await gateway.request('/graphiql/graphiql.css', { headers: { 'accept-encoding': 'br' } });
  const kept = await gateway.request('/graphiql/graphiql.css', {
    headers: { 'accept-encoding': 'br', 'if-none-match': brotli.headers.get('etag') ?? '' },
  });
  expect([brotli.headers.get('etag')?.slice(0, 2), kept.status]).toEqual(['W/', 304]);
});

test.each(['/graphiql', '/'])('%s shows the demo world to this machine only', async path => {
  expect((await gateway.request(path, { headers: html })).text).toContain('the-demo-token');
  for (const header of ['x-forwarded-for', 'forwarded', 'via']) {
    const { text } = await gateway.request(path, { headers: { ...html, [header]: '203.0.113.7' } });
    expect(text).not.toContain('the-demo-');
  }
});

test('the examples are operations of the graph', async () => {
  const { text } = await gateway.request('/graphiql', { headers: html });
  const [, json = ''] = /id="options">(.*?)<\/script>/.exec(text) ?? [];
  const { defaultTabs } = JSON.parse(json);
  expect(defaultTabs).toHaveLength(4);
  for (const { query, variables } of defaultTabs) {
    const { json: answer } = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: JSON.parse(variables ?? '{}') }),
    });
    const codes = (answer.errors ?? []).map((one: { extensions: { code: string } }) => one.extensions.code);
    expect(codes.filter((code: string) => /VALIDATION|PARSE|BAD_USER_INPUT/.test(code))).toEqual([]);
  }
});

test('Sandbox leads to the explorer where it does not load', async () => {
  const { text } = await gateway.request('/graphql', { headers: html });
  expect(text).toMatch(/<script nonce="[^"]+">[^<]*location\.replace\('\/graphiql'\)/);
});

test('the start page is for browsers; other clients get the root document', async () => {
  const page = await gateway.request('/', { headers: html });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const { json } = await gateway.request('/', { headers: { accept: 'application/json' } });
  expect(json.current_user_url).toBe(`${gateway.url}/user`);
});

test('an address where nothing is has a page for browsers', async () => {
  const page = await gateway.request('/a/b/c/d', { headers: html });
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  const { status, json } = await gateway.request('/a/b/c/d');
  expect([status, json.message]).toEqual([404, 'Not Found']);
});
