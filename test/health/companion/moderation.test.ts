import { beforeAll, expect, test } from '@jest/globals';
import { allowModel, createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { modelServer, says, sendJson } from '../../harness/model-server.ts';
import { send } from '../../harness/people.ts';

const model = await modelServer();
const gateway = await testGateway({
  data: 'demo',
  settings: { AI_BASE_URL: model.url, AI_MODEL: 'speaker', AI_MODERATION_MODEL: 'judge', AI_TIMEOUT_MS: '700' },
});
let person: TestAccount;
beforeAll(async () => {
  [person] = (await createAccounts(gateway, 1)) as [TestAccount];
  await allowModel(gateway, [person], model.url);
});
const ask = async () =>
  (await send(gateway, 'POST', '/chat/ai/', { message: 'What helps against a migraine attack?' }, person.access)).json;
const fallbacks = async (reason: string): Promise<number> => {
  const { text } = await gateway.metrics();
  return Number(new RegExp(`fallbacks_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};
const answer = says('Migraine is a condition of the brain [1].');

test('an answer that the moderation model calls safe is shown', async () => {
  model.answer(answer, says('**SAFE**'));
  const { engine, reply } = await ask();
  expect(engine).toBe('model');
  expect(reply).toMatch(/^Migraine is a condition of the brain \[1\]\./);
  expect(model.requests.map(({ body }) => body.model)).toEqual(['speaker', 'judge']);
  // The judge reads the filtered answer and nothing of the person.
  expect(JSON.stringify(model.requests[1]?.body)).not.toContain('What helps against');
});

test.each<[string, Parameters<typeof model.answer>[0], string]>([
  ['calls it unsafe', says('UNSAFE'), 'unsafe'],
  ['says something else', says('It is not safe to say.'), 'not_moderated'],
  ['says nothing', says(''), 'not_moderated'],
  ['fails', response => sendJson(response, {}, 401), 'not_moderated'],
  ['hangs', () => {}, 'not_moderated'],
])('when it %s the articles answer', async (_, verdict, reason) => {
  const before = await fallbacks(reason);
  model.answer(answer, verdict);
  const { engine, reply } = await ask();
  expect(engine).toBe('retrieval');
  expect(reply).toContain('did not pass our safety checks');
  expect(await fallbacks(reason)).toBe(before + 1);
});
