import { beforeAll, expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

const gateway = await testGateway();
let access: string;

beforeAll(async () => {
  [{ access }] = (await createAccounts(gateway, 1)) as [TestAccount];
});

const lists = [
  '/articles/',
  '/articles/bookmarks/',
  '/articles/recommended/',
  '/articles/1/comments/',
  '/assessments/',
  '/chat/users/',
  '/community/groups/',
  '/community/peers/connections/',
  '/health/goals/',
  '/health/symptoms/',
  '/health/vitals/',
];
const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}ord`).join(' ');
const search = (path: string, text: string) =>
  send(gateway, 'GET', `${path}?search=${encodeURIComponent(text)}`, undefined, access);

test.each(lists)('%s refuses a search that is too long, and one condition holds all terms', async path => {
  for (const [text, limit] of [
    [words(21), '20 terms'],
    ['x'.repeat(501), '500 characters'],
  ] as const) {
    expect(await search(path, text)).toMatchObject({
      status: 400,
      json: { search: [`Ensure this search has at most ${limit}.`] },
    });
  }
  const statements = async (count: number): Promise<string[]> => {
    const sent = await gateway.statements(async () => expect((await search(path, words(count))).status).toBe(200));
    return sent.filter(text => /unnest|search_query|search_words/.test(text));
  };
  // Six: a search of articles compares the terms beyond five with the text of what the others find.
  await statements(6);
  const some = await statements(6);
  expect(some.length).toBeGreaterThan(0);
  expect(await statements(20)).toEqual(some);
});
