import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo', logLevel: 'info', settings: { CRISIS_HELPLINE_COUNTRIES: 'US,xx' } });
const guests = await testGateway({ data: 'demo', settings: { AI_GUESTS: 'on' } });
const strict = await testGateway({
  data: 'demo',
  settings: { RATE_LIMIT_FACTOR: 'on', AI_GUESTS: 'on', TRUST_PROXY: 'loopback' },
});

const people: TestAccount[] = [];
beforeAll(async () => {
  people.push(...(await createAccounts(gateway, 12)));
});
const somebody = (): TestAccount => people.pop() as TestAccount;

describe('access', () => {
  const operations = [
    ['POST', '/chat/ai/'],
    ['GET', '/chat/ai/history/'],
    ['DELETE', '/chat/ai/history/'],
  ] as const;

  test.each(operations)('%s %s: nobody unknown, and no guest', async (method, path) => {
    const body = method === 'POST' ? { message: 'hello' } : undefined;
    expect((await send(gateway, method, path, body)).status).toBe(401);
    const guest = (await send(gateway, 'POST', '/auth/guest/')).json.access;
    const refused = await send(gateway, method, path, body, guest);
    expect([refused.status, refused.json.code]).toEqual([403, 'not_verified']);
  });

  test.each(operations)('%s %s: guests where the setting lets them', async (method, path) => {
    const body = method === 'POST' ? { message: 'hello' } : undefined;
    expect((await send(guests, method, path, body)).status).toBe(401);
    const guest = (await send(guests, 'POST', '/auth/guest/')).json.access;
    expect((await send(guests, method, path, body, guest)).status).toBeLessThan(300);
  });

  test('twenty messages a minute and 200 a day; a guest 20 a day, and 60 from one address', async () => {
    const [one] = await createAccounts(strict, 1);
    const from = (ip: string, access: string | undefined, body: unknown = { message: 'hello' }) =>
      strict.request('/api/v1/chat/ai/', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, authorization: `Bearer ${access}` },
        body: JSON.stringify(body),
      });
    const minute = (): void => {
      strict.clock.now = new Date(strict.clock.now.getTime() + 60_000);
    };
    const many = (times: number, ip: string, access: string | undefined) =>
      Promise.all(Array.from({ length: times }, () => from(ip, access))).then(all => all.map(({ status }) => status));
    // Invalid input spends no budget.
    for (let times = 0; times < 3; times++) expect((await from('192.0.2.1', one?.access, {})).status).toBe(400);
    expect((await many(21, '192.0.2.1', one?.access)).filter(status => status === 201)).toHaveLength(20);
    const refused = await from('192.0.2.1', one?.access);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    for (let more = 0; more < 9; more++) {
      minute();
      expect((await many(20, '192.0.2.1', one?.access)).every(status => status === 201)).toBe(true);
    }
    minute();
    expect((await from('192.0.2.1', one?.access)).status).toBe(429);

    for (let guest = 0; guest < 4; guest++) {
      const { access } = (
        await strict.request('/api/v1/auth/guest/', { method: 'POST', headers: { 'x-forwarded-for': '192.0.2.2' } })
      ).json;
      const answered = (await many(20, '192.0.2.2', access)).filter(status => status === 201).length;
      expect(answered).toBe(guest < 3 ? 20 : 0);
      minute();
      expect((await from('192.0.2.3', access)).status).toBe(guest < 3 ? 429 : 201);
    }
  });
});

describe('GraphQL', () => {
  const query = async (access: string, text: string, variables: Record<string, unknown> = {}) =>
    (
      await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
        body: JSON.stringify({ query: text, variables }),
      })
    ).json;

  const ask = `mutation ($input: AskCompanionInput!) {
    askCompanion(input: $input) {
      answer {
        question { id databaseId role text createdAt }
        message { id databaseId role text createdAt }
        engine disclaimer
        sources { headline url article { headline likeCount } }
        safety { level resources { name contact } }
      }
    }
  }`;

  test('asks, reads and clears in the same way', async () => {
    const { access, id } = somebody();
    const asked = await query(access, ask, { input: { message: 'What helps against a migraine attack?' } });
    const { answer } = asked.data.askCompanion;
    expect(answer).toMatchObject({
      engine: 'RETRIEVAL',
      safety: { level: 'NONE', resources: [] },
      question: { role: 'USER', text: 'What helps against a migraine attack?' },
    });
    expect(answer.sources.length).toBeGreaterThan(0);
    for (const { headline, article } of answer.sources) expect(article).toMatchObject({ headline });
    const messages = '{ nodes { id databaseId role text createdAt } totalCount }';
    const read = await query(access, `{ healthViewer { companionMessages ${messages} } }`);
    expect(read.data.healthViewer.companionMessages).toEqual({
      nodes: [answer.question, answer.message],
      totalCount: 2,
    });
    const last = await query(access, '{ healthViewer { companionMessages(last: 1) { nodes { role } } } }');
    expect(last.data.healthViewer.companionMessages.nodes).toEqual([{ role: 'ASSISTANT' }]);
    const node = `{ node(id: "${answer.message.id}") { ... on CompanionMessage { text } } }`;
    expect((await query(access, node)).data.node).toEqual({ text: answer.message.text });
    expect((await query(somebody().access, node)).data.node).toBeNull();
    const cleared =
      'mutation { clearCompanionHistory(input: {}) { viewer { databaseId companionMessages { totalCount } } } }';
    expect(await query(access, cleared)).toEqual({
      data: { clearCompanionHistory: { viewer: { databaseId: id, companionMessages: { totalCount: 0 } } } },
    });
    const invalid = await query(access, '{ healthViewer { companionMessages(first: 0) { totalCount } } }');
    expect(invalid.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test('reads the cited articles in one statement', async () => {
    const { access } = somebody();
    const statements = await gateway.statements(() =>
      query(access, ask, { input: { message: 'What helps against a migraine attack?' } }),
    );
    expect(statements.filter(text => /from article a\s+where a\.id = any/.test(text))).toHaveLength(1);
  });

  test('a guest gets no messages where guests may not ask', async () => {
    const guest = (await send(gateway, 'POST', '/auth/guest/')).json.access;
    const { data, errors } = await query(guest, '{ healthViewer { databaseId companionMessages { totalCount } } }');
    expect(data.healthViewer).toEqual({ databaseId: expect.any(Number), companionMessages: null });
    expect(errors[0].extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'not_verified' });
  });
});
