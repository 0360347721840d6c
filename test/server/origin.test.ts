import { describe, expect, test } from '@jest/globals';
import { BareConnection } from '../harness/bare-connection.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';

const plain = await testGateway({
  settings: { CORS_ORIGINS: 'https://page.example, https://other.example', ALLOWED_HOSTS: 'a.example' },
});
const proxied = await testGateway({ settings: { TRUST_PROXY: 'loopback', ALLOWED_HOSTS: 'api.example' } });
const named = await testGateway({ settings: { BASE_URL: 'https://api.example.org' } });

/** The link to the next page in the response to a request with these header lines. */
async function nextLink(gateway: TestGateway, ...lines: string[]): Promise<string> {
  const connection = await BareConnection.open(gateway.url);
  connection.send(['GET /api/v1/articles/?page_size=1 HTTP/1.1', ...lines, '', ''].join('\r\n'));
  const { body } = await connection.answer();
  connection.destroy();
  // Without the anchor, which is a time.
  return JSON.parse(body).next.replace(/&as_of=.*$/, '');
}
const path = '/api/v1/articles/?page_size=1&page=2';

describe('the origin of links', () => {
  test.each(['a.example', 'A.Example:81', '127.0.0.1:4000', '[::1]:4000', 'localhost'])(
    'is that of the Host «%s»',
    async host => {
      expect(await nextLink(plain, `Host: ${host}`)).toBe(`http://${host}${path}`);
    },
  );

  test('is the listen address for HTTP/1.0 without a Host', async () => {
    const connection = await BareConnection.open(plain.url);
    connection.send('GET /api/v1/articles/?page_size=1 HTTP/1.0\r\n\r\n');
    const { body } = await connection.answer();
    expect(JSON.parse(body).next.replace(/&as_of=.*$/, '')).toBe(`${plain.url}${path}`);
  });

  test('ignores X-Forwarded-* by default', async () => {
    const link = await nextLink(plain, 'Host: a.example', 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https');
    expect(link).toBe(`http://a.example${path}`);
  });

  test('uses X-Forwarded-* of proxies in TRUST_PROXY', async () => {
    const link = await nextLink(proxied, 'Host: inner', 'X-Forwarded-Host: api.example', 'X-Forwarded-Proto: https');
    expect(link).toBe(`https://api.example${path}`);
    const odd = await nextLink(
      proxied,
      'Host: inner',
      'X-Forwarded-Host: api.example',
      'X-Forwarded-Proto: javascript:alert(1)//',
    );
    expect(odd).toBe(`http://api.example${path}`);
  });

  test('is BASE_URL if set, regardless of the request', async () => {
    const link = await nextLink(named, 'Host: localhost:4000', 'X-Forwarded-Host: evil.example');
    expect(link).toBe(`https://api.example.org${path}`);
    const { json } = await named.request('/nothing');
    expect(json.documentation_url).toBe('https://api.example.org/docs/rest');
  });
});

describe('pages of other origins', () => {
  const allowed = async (gateway: TestGateway, target: string, origin: string): Promise<string | null> =>
    (await gateway.request(target, { headers: { Origin: origin } })).headers.get('access-control-allow-origin');

  test('may read the health API if CORS_ORIGINS lists them', async () => {
    for (const target of ['/api/v1/articles/', '/api/v1/nothing/', '/graphql']) {
      expect(await allowed(plain, target, 'https://page.example')).toBe('https://page.example');
      expect(await allowed(plain, target, 'https://other.example')).toBe('https://other.example');
      for (const other of [
        'https://evil.example',
        'https://page.example.evil.example',
        'http://page.example',
        'null',
      ]) {
        expect(await allowed(plain, target, other)).toBeNull();
      }
    }
    const { headers } = await plain.request('/api/v1/articles/', { headers: { Origin: 'https://page.example' } });
    // Otherwise a cache could return the response for one page to another.
    expect(headers.get('vary')).toContain('Origin');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('may read the code hosting API', async () => {
    expect(await allowed(plain, '/versions', 'https://evil.example')).toBe('*');
    expect(await allowed(plain, '/openapi/hosting.json', 'https://evil.example')).toBe('*');
  });

  test('may not read metrics and health checks', async () => {
    for (const target of ['/metrics', '/livez', '/readyz']) {
      expect(await allowed(plain, target, 'https://page.example')).toBeNull();
    }
  });
});
