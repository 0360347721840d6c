import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from 'operation-rest';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { person } from '../harness/people.ts';
import { contracts } from './contracts.ts';

const mails = await mailbox();
const gateway = await testGateway({ settings: { SMTP_URL: mails.url }, workers: true });
const token = (await demoOf(gateway)).users.wren.classic_token;
const { access } = await person(gateway, mails);
const [{ id: article } = { id: 0 }] = (await gateway.request('/api/v1/articles/')).json.results;

const numbers = ['2147483648', '4294967296', '9007199254740993', '99999999999999999999', '9'.repeat(400)];

/** What lists need that are none without it. */
const needed = 'q=a&min_timestamp=2026-01-01T00:00:00Z&timestamp_increment=1d';

const paths: Record<string, string> = {
  '{owner}': 'harbor-lab',
  '{repo}': 'compass',
  '{org}': 'harbor-lab',
  '{username}': 'wren',
  '{basehead}': 'main...main',
  '/articles/{id}/': `/articles/${article}/`,
};

const lists = (endpoints: readonly Endpoint[]): string[] =>
  endpoints
    .filter(({ operation: { method, parameters } }) => method === 'GET' && parameters.some(one => one.name === 'page'))
    .map(({ operation }) =>
      Object.entries(paths).reduce(
        (path, [name, value]) => path.replace(name, value),
        operation.path.replaceAll('{+', '{'),
      ),
    )
    .filter(path => !path.includes('{'));

const ask = (product: string, path: string): Promise<Answer> =>
  call(
    gateway,
    'GET',
    product === 'health' ? `/api/v1${path}` : path,
    `Bearer ${product === 'health' ? access : token}`,
  );

describe.each(contracts)('$product.name: a page number of any size', ({ product, endpoints }) => {
  test.each(lists(endpoints))('of %s is answered as every other page beyond the last', async path => {
    for (const page of numbers) {
      const { status, json } = await ask(product.name, `${path}?${needed}&page=${page}&${product.paging.size}=100`);
      const answer = [path, page.slice(0, 20), status];
      if (status === 401 || status === 403 || json?.message === 'Not Found') continue;
      if (product.name === 'health') {
        expect(answer).toEqual([path, page.slice(0, 20), 404]);
        expect(json).toEqual({ detail: 'Invalid page.', code: 'not_found' });
      } else {
        // Feeds end after 300 entries.
        expect([200, 422]).toContain(status);
        if (status === 422) expect(json.message).toMatch(/pagination is limited/);
        else expect(Array.isArray(json) ? json : Object.values(json).find(Array.isArray)).toEqual([]);
      }
    }
  });

  test.each(lists(endpoints))('and a size that is none, at %s, are those of the first page', async path => {
    for (const size of ['0', '-1', 'x', '1.5', '']) {
      const { status } = await ask(product.name, `${path}?${needed}&page=1&${product.paging.size}=${size}`);
      expect([path, size, status < 500 && status !== 400 && status !== 422]).toEqual([path, size, true]);
    }
  });
});
