import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { allowModel, createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { chunkOf, type ModelAnswer, modelServer, says, sendJson } from '../../harness/model-server.ts';
import { send } from '../../harness/people.ts';

const model = await modelServer();
// The model has so much time that only the withdrawal ends an answer.
const settings = { AI_BASE_URL: model.url, AI_MODEL: 'speaker', AI_TIMEOUT_MS: '12000' };
const gateway = await testGateway({ data: 'demo', settings });
const moderated = await testGateway({ beside: gateway, settings: { ...settings, AI_MODERATION_MODEL: 'judge' } });
const sentence = 'Migraine is a condition of the brain [1]. ';

async function somebody(): Promise<TestAccount> {
  const [me] = (await createAccounts(gateway, 1)) as [TestAccount];
  await allowModel(gateway, [me], model.url);
  return me;
}
const change = ({ access }: TestAccount, body: object, at = gateway) => send(at, 'PATCH', '/auth/me/', body, access);
/** The events of a streamed answer, as text. */
const stream = async ({ access }: TestAccount, at = gateway): Promise<string> =>
  (
    await at.request('/api/v1/chat/ai/', {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${access}` },
      body: JSON.stringify({ message: 'What helps against a migraine attack?' }),
    })
  ).text;
const whole = async ({ access }: TestAccount, at = gateway): Promise<string> =>
  (await send(at, 'POST', '/chat/ai/', { message: 'What helps against a migraine attack?' }, access)).text;

/** Begins an answer, and never ends it. */
const begins: ModelAnswer = response => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunkOf(`${sentence}The sec`));
};
const hangs: ModelAnswer = () => {};

const withdrawals: [string, (me: TestAccount) => Promise<{ status: number }>][] = [
  ['the consent to messages', me => change(me, { share_messages_with_ai: false })],
  ['the consent at another gateway', me => change(me, { share_messages_with_ai: false }, moderated)],
  ['the consent to the profile', me => change(me, { share_profile_with_ai: false })],
];

test.each(withdrawals)('an answer ends at once with %s, is not kept, and the articles answer', async (_, withdraw) => {
  for (const [ask, begun] of [
    [stream, begins],
    [whole, hangs],
  ] as const) {
    const me = await somebody();
    await change(me, { share_profile_with_ai: true });
    model.answer(begun);
    const answered = ask(me);
    const { closed } = await model.asked();
    expect((await withdraw(me)).status).toBe(200);
    expect(await closed).toBe(false);
    const answer = await answered;
    expect(answer).toContain('"engine":"retrieval"');
    expect(answer).not.toMatch(/language model did not answer/);
    expect(model.requests).toHaveLength(1);
    const history = await send(gateway, 'GET', '/chat/ai/history/', undefined, me.access);
    expect([history.json.length, history.text.includes(sentence.trim())]).toEqual([2, false]);
  }
});

test('an answer ends with the account, and nothing of it is kept', async () => {
  const me = await somebody();
  model.answer(hangs);
  const answered = whole(me);
  const { closed } = await model.asked();
  await send(gateway, 'DELETE', '/auth/me/delete/', undefined, me.access);
  expect([await closed, JSON.parse(await answered).code]).toEqual([false, 'not_found']);
});

test('an answer that waits for its moderation is given to nobody', async () => {
  const me = await somebody();
  const judging = Promise.withResolvers<void>();
  model.answer(says(sentence), (_, request) => judging.resolve(void request));
  const answered = whole(me, moderated);
  await judging.promise;
  await change(me, { share_messages_with_ai: false });
  const answer = await answered;
  expect(answer).toContain('"engine":"retrieval"');
  expect(answer).not.toContain('did not pass our safety checks');
});

test('a withdrawal between the answer and its moderation sends no text to the moderation', async () => {
  const me = await somebody();
  model.answer(async response => {
    await change(me, { share_messages_with_ai: false });
    sendJson(response, { choices: [{ message: { role: 'assistant', content: sentence } }] });
  }, says('SAFE'));
  expect(await whole(me, moderated)).toContain('"engine":"retrieval"');
  expect(model.requests.map(({ body }) => body.model)).toEqual(['speaker']);
});

test('a notice that comes after a new answer has begun does not end that one', async () => {
  const me = await somebody();
  model.answer(async response => {
    // As the notice of a withdrawal before the answer, which was late. It comes by the connection of the gateway.
    const { notifications, sql: db } = gateway.database;
    const heard = Promise.withResolvers<void>();
    const end = await notifications.subscribe('portico_consent', String(me.id), heard.resolve);
    await sql`select pg_notify('portico_consent', ${String(me.id)})`.execute(db);
    await heard.promise;
    end();
    sendJson(response, { choices: [{ message: { role: 'assistant', content: sentence } }] });
  });
  expect(await whole(me)).toContain('"engine":"model"');
});

test('consents of conditions, and of others, end no answer', async () => {
  const [me, other] = [await somebody(), await somebody()];
  await change(me, { conditions: ['gout'], conditions_for_peers: ['gout'] });
  model.answer(async response => {
    await change(me, { conditions_for_peers: [] });
    await change(other, { share_messages_with_ai: false });
    sendJson(response, { choices: [{ message: { role: 'assistant', content: sentence } }] });
  });
  expect(await whole(me)).toContain('"engine":"model"');
});
