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

test('the demo world is shown to the first browser that opens the link of the start, and to no other', async () => {
  const shown = async (headers: Record<string, string>) => {
    const pages = await Promise.all(
      ['/graphiql', '/'].map(path => gateway.request(path, { headers: { ...html, ...headers } })),
    );
    return pages.map(({ text }) => text.includes('the-demo-token'));
  };
  expect(await shown({})).toEqual([false, false]);
  // What a proxy on this machine sends, or does not send, makes no difference.
  const ofProxies = [
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-real-ip',
    'cf-connecting-ip',
  ];
  for (const name of ofProxies) expect([name, await shown({ [name]: '127.0.0.1' })]).toEqual([name, [false, false]]);
  expect((await gateway.request('/metrics')).status).toBe(404);
  for (const guess of ['', 'undefined', 'A'.repeat(24)]) {
    const { status, headers } = await gateway.request(`/?demo=${guess}`, { headers: html });
    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
  }
  // A program that is no browser does not use the link up.
  await gateway.request(gateway.demoPath ?? '', { headers: { accept: 'application/json' } });
  const opened = await gateway.request(gateway.demoPath ?? '', { headers: html });
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/']);
  const sent = opened.headers.get('set-cookie') ?? '';
  expect(sent).toMatch(/^portico_demo=[\w-]{24}; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(await shown({ cookie: sent.split(';')[0] ?? '' })).toEqual([true, true]);
  expect(await shown({ cookie: 'portico_demo=AAAAAAAAAAAAAAAAAAAAAAAA' })).toEqual([false, false]);
  const again = await gateway.request(gateway.demoPath ?? '', { headers: html });
  expect([again.status, again.headers.get('set-cookie'), again.text.includes('the-demo-')]).toEqual([200, null, false]);
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
