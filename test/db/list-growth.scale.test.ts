import { beforeAll, expect, test } from '@jest/globals';
import type { TestAccount } from '../harness/accounts.ts';
import { databaseWork } from '../harness/database-work.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';
import { growLists } from '../harness/growing-lists.ts';
import { demoOf } from '../harness/hosting.ts';
import { growingRequests, type ListRequest, listRequests } from './list-requests.ts';

/** Rows of each list of the two databases that are compared. */
const [fewRows, manyRows] = [1_000, 30_000];
/** Work in the large database over that in the small one. */
const maxGrowth = 2;

const settings = { STATEMENT_TIMEOUT_MS: '120000', SOURCE_IMPORTS: 'on' };
const [few, many] = [await testGateway({ settings }), await testGateway({ settings })];
const demo = await demoOf(few);
const readers = new Map<TestGateway, TestAccount>();

beforeAll(async () => {
  readers.set(few, await growLists(few, fewRows));
  readers.set(many, await growLists(many, manyRows));
}, 600_000);

/** Buffers and rows of the statements of a request, apart from those that find the caller; the answer if it is an error. */
async function workOf(gateway: TestGateway, { as, path, document }: ListRequest): Promise<number | string> {
  const token = as === 'reader' ? readers.get(gateway)?.access : demo.users[as].classic_token;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'portico tests',
    authorization: `Bearer ${token}`,
  };
  let failed: string | undefined;
  const sent = await gateway.sent(async () => {
    const { status, json, text } = await (path === undefined
      ? gateway.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query: document }) })
      : gateway.request(path, { headers }));
    if (status !== 200 || json.errors) failed = `${status} ${text.slice(0, 200)}`;
  });
  if (failed !== undefined) return failed;
  const own = sent.filter(({ text }) => !/left join session|from host_credential h/.test(text));
  return databaseWork(gateway.databaseUrl, own);
}

test(`the work of a list is at most twice as much with ${manyRows / fewRows} times the rows`, async () => {
  const wrong: string[] = [];
  const grown = new Set<RegExp>();
  for (const request of listRequests) {
    const [small, large] = [await workOf(few, request), await workOf(many, request)];
    const text = request.path ?? request.document ?? '';
    const excuse = growingRequests.find(([pattern]) => pattern.test(text));
    const isNumber = typeof small === 'number' && typeof large === 'number';
    if (isNumber && large <= maxGrowth * small) continue;
    if (isNumber && excuse) grown.add(excuse[0]);
    else wrong.push(`${small} → ${large}: ${request.as} ${text}`);
  }
  expect(wrong).toEqual([]);
  // What is flat by now must not stay excused.
  expect(growingRequests.map(([pattern]) => pattern).filter(pattern => !grown.has(pattern))).toEqual([]);
}, 600_000);
