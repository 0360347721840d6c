import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { call } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });

test.each([
  ['/users?per_page=2', 'login'],
  ['/organizations?per_page=1', 'login'],
  ['/repositories', 'full_name'],
])('%s is read to its end by its links', async (start, name) => {
  const found: string[] = [];
  let path: string | undefined = start;
  while (path !== undefined) {
    const { status, json, headers } = await call(gateway, 'GET', path);
    expect(status).toBe(200);
    found.push(...json.map((one: Record<string, string>) => one[name]));
    const next: string | undefined = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (next !== undefined) expect(next).toMatch(/[?&]since=\d+/);
    path = next?.replace(gateway.url, '');
  }
  expect(new Set(found).size).toBe(found.length);
  expect(found.length).toBeGreaterThan(1);
  expect(found).not.toContain('harbor-lab/ledger');
});
