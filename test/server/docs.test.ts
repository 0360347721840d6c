import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { answersIn, BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ data: 'empty' });
const page = await gateway.request('/docs/');
const referenced = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(found => String(found[1]));

describe('the documentation page', () => {
  test('is at /docs/, and /docs redirects to it', async () => {
    const { status, headers } = await gateway.request('/docs');
    expect(status).toBe(301);
    expect(new URL(headers.get('location') ?? '', `${gateway.url}/docs`).href).toBe(`${gateway.url}/docs/`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test.each(['/docs/rest', '/docs/rest/meta/meta', '/docs/v3/', '/docs/v3/media'])(
    'is the redirect target of %s, the documentation URLs of errors',
    async path => {
      const { status, headers } = await gateway.request(path);
      expect(status).toBe(302);
      expect(new URL(headers.get('location') ?? '', `${gateway.url}${path}`).href).toBe(
        `${gateway.url}/docs/?${new URLSearchParams({ page: path.slice('/docs'.length) })}`,
      );
    },
  );

  test('refers only to files in its folder, which are served with their media types', async () => {
    expect(referenced.length).toBeGreaterThanOrEqual(5);
    const types: Record<string, string> = {
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      png: 'image/png',
    };
    for (const name of referenced) {
      expect(name).toMatch(/^[\w-]+\.(css|js|png)$/);
      const { status, headers, text } = await gateway.request(`/docs/${name}`);
      expect({ name, status, empty: text.length === 0 }).toEqual({ name, status: 200, empty: false });
      expect(headers.get('content-type')).toBe(types[name.split('.').at(-1) ?? '']);
    }
  });

  test('contains no other origin in the page, its script and its styles', async () => {
    const own = [page.text];
    for (const name of referenced.filter(file => file.endsWith('.css') || file === 'start.js')) {
      own.push((await gateway.request(`/docs/${name}`)).text);
    }
    expect(own).toHaveLength(4);
    for (const text of own) {
      const named = [...text.matchAll(/(?:https?:)?\/\/[\w.-]+\.\w+/g)].map(found => found[0]);
      // Namespaces in images are identifiers and are not loaded.
      expect(named.filter(address => address !== 'http://www.w3.org')).toEqual([]);
    }
  });

  test('may load, run and connect to its own origin only, the packaged scripts included', async () => {
    for (const name of ['', ...referenced]) {
      const { headers } = await gateway.request(`/docs/${name}`);
      const directives = (headers.get('content-security-policy') ?? '')
        .split(';')
        .map(directive => directive.split(' '));
      const policy = Object.fromEntries(directives.map(([directive, ...sources]) => [directive, sources]));
      expect(policy).toEqual({
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'", expect.stringMatching(/^'sha256-/)],
        'img-src': ["'self'", 'data:'],
        'connect-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      });
    }
  });

  test('allows the style element of Swagger UI by its hash, which an upgrade may change', async () => {
    const { text } = await gateway.request('/docs/swagger-ui-standalone-preset.js');
    const [style = ''] = /\.logo_small_svg__cls[^"'`]*/.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toContain(`'sha256-${hash}'`);
  });

  test('shows both contracts', async () => {
    const { text } = await gateway.request('/docs/start.js');
    const names = [...text.matchAll(/published\('(\w+)'\)/g)].map(found => found[1]);
    expect([...new Set(names)].toSorted()).toEqual(['health', 'hosting']);
    for (const name of names) {
      const { status, json } = await gateway.request(`/openapi/${name}.json`);
      expect(status).toBe(200);
      expect(json.openapi).toBe('3.1.1');
    }
  });

  test('is sent again only if it has changed', async () => {
    const first = await gateway.request('/docs/swagger-ui.css');
    // Sent by hand, because fetch adds «Cache-Control: no-cache» to a conditional request.
    const connection = await BareConnection.open(gateway.url);
    connection.send(
      `GET /docs/swagger-ui.css HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: ${first.headers.get('etag')}\r\n\r\n`,
    );
    const [again] = answersIn(await connection.until(/\r\n\r\n/));
    connection.destroy();
    expect(again?.status).toBe(304);
  });

  test('answers a range beyond a file in JSON', async () => {
    const { status, json, headers } = await gateway.request('/docs/swagger-ui.css', {
      headers: { Range: 'bytes=99999999-' },
    });
    expect(status).toBe(416);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json.status).toBe('416');
  });
});

describe('a documentation URL of an error', () => {
  /** The options of Swagger UI and the address after the script of the page has run at `url`. */
  async function opened(url: string): Promise<{ options: Record<string, unknown>; hash: string }> {
    const location = new URL(url);
    const script = (await gateway.request('/docs/start.js')).text;
    let replaced = location.hash;
    const options = await new Promise<Record<string, unknown>>(resolve => {
      runInNewContext(script, {
        URL,
        URLSearchParams,
        location,
        fetch: async (path: string) => ({ json: async () => (await gateway.request(path)).json }),
        history: {
          replaceState: (_state: null, _title: string, to: string) => (replaced = new URL(to, location).hash),
        },
        SwaggerUIBundle: Object.assign(resolve, { presets: {} }),
        SwaggerUIStandalonePreset: {},
      });
    });
    return { options, hash: replaced };
  }

  test.each([
    ['/users/nobody-at-all', '#/users/GetUser'],
    ['/repos/nobody/nothing/contents/x', '#/contents/GetContent'],
    ['/orgs/nobody/rulesets/rule-suites', ''],
  ])('of %s opens the operation', async (path, hash) => {
    const error = await gateway.request(path, { headers: { 'user-agent': 'portico tests' } });
    const redirect = await gateway.request(new URL(error.json.documentation_url).pathname);
    const target = new URL(redirect.headers.get('location') ?? '', error.json.documentation_url);
    const { options, hash: shown } = await opened(`${target}${new URL(error.json.documentation_url).hash}`);
    expect(options['urls.primaryName']).toBe('Code hosting API');
    expect(shown).toBe(hash);
  });

  test('is no other page: without one, the first contract is shown', async () => {
    const { options, hash } = await opened(`${gateway.url}/docs/`);
    expect([options['urls.primaryName'], hash]).toEqual([undefined, '']);
  });
});
