import { expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { graphRequests } from '../groups/graph-requests.ts';

const gateway = await testGateway({ data: 'empty' });
const { ask } = graphRequests(gateway);
const [ada] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
const get = async (path: string) => (await send(gateway, 'GET', path, undefined, ada.access)).json;

async function groupOf(messages: number): Promise<{ id: string; say(text: string): Promise<unknown> }> {
  const { id } = (await send(gateway, 'POST', '/chat/groups/', { name: 'Busy' }, ada.access)).json;
  const say = (content: string) => send(gateway, 'POST', '/chat/messages/', { group_id: id, content }, ada.access);
  for (let number = 1; number <= messages; number++) await say(`word ${number}`);
  return { id, say };
}

test.each(['', '&search=word', '&ordering=timestamp', '&ordering=id'])(
  'pages by the links of the contract repeat and skip nothing while somebody writes: %s',
  async query => {
    const { id, say } = await groupOf(7);
    const seen: string[] = [];
    let page = await get(`/chat/groups/${id}/messages/?page_size=3${query}`);
    const last = await get(`/chat/groups/${id}/messages/?page_size=3&page=3${query}`);
    for (;;) {
      expect(page.count).toBe(7);
      seen.push(...page.results.map((one: { content: string }) => one.content));
      await say('word meanwhile');
      if (page.next === null) break;
      page = await get(page.next.replace(/^.*\/api\/v1/, ''));
    }
    expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7].map(number => `word ${number}`));
    // Without an anchor a page number counts in the list as it is, as published.
    expect(last.results).toHaveLength(1);
    expect((await get(`/chat/groups/${id}/messages/?page_size=3&page=3${query}`)).count).toBe(10);
  },
);

test('an anchor that is none is refused', async () => {
  const { id } = await groupOf(1);
  expect(await send(gateway, 'GET', `/chat/groups/${id}/messages/?as_of=x`, undefined, ada.access)).toMatchObject({
    status: 400,
  });
});

test('pages of the graph, in both directions, are not moved by new messages', async () => {
  const { id, say } = await groupOf(7);
  const page = async (args: string) => {
    const query = `query ($id: ID!) { node(id: $id) { ... on Chat { messages(${args}) {
      nodes { text } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`;
    return (await ask(ada, query, { id: encodeGlobalId('ChatGroup', id) })).data.node.messages;
  };
  const texts = (one: { nodes: { text: string }[] }) => one.nodes.map(({ text }) => text);
  const first = await page('first: 3');
  expect(texts(first)).toEqual(['word 7', 'word 6', 'word 5']);
  await say('word 8');
  const second = await page(`first: 3, after: "${first.pageInfo.endCursor}"`);
  expect(texts(second)).toEqual(['word 4', 'word 3', 'word 2']);
  expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  expect(texts(await page(`first: 3, after: "${second.pageInfo.endCursor}"`))).toEqual(['word 1']);
  expect(texts(await page(`last: 2, before: "${second.pageInfo.startCursor}"`))).toEqual(['word 6', 'word 5']);
  expect(texts(await page(`last: 2, search: "word", before: "${second.pageInfo.startCursor}"`))).toEqual([
    'word 6',
    'word 5',
  ]);
  expect(texts(await page('last: 2'))).toEqual(['word 2', 'word 1']);
});

test('instants have six digits of a second, wherever they are', async () => {
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
  const start = gateway.clock.now;
  for (const fraction of [0, 120, 125]) {
    gateway.clock.now = new Date(start.getTime() + 1000 + fraction);
    const { id, say } = await groupOf(1);
    await say('second');
    const [message] = (await get(`/chat/groups/${id}/messages/`)).results;
    const group = (await get('/chat/groups/')).find((one: { id: string }) => one.id === id);
    expect(message.timestamp).toMatch(form);
    // The same instant, though one of them was read as JSON.
    expect(group.last_message.timestamp).toBe(message.timestamp);
    expect(group.created_at).toMatch(form);
    expect((await get('/auth/me/')).date_joined).toMatch(form);
  }
  gateway.clock.now = start;
});
