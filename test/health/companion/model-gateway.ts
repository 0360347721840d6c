import { beforeAll, expect } from '@jest/globals';
import { allowModel, createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { modelServer } from '../../harness/model-server.ts';
import { send } from '../../harness/people.ts';

export const key = 'sk-very-secret-key-of-the-operator';
export const model = await modelServer();
export const gateway = await testGateway({
  data: 'demo',
  logLevel: 'info',
  settings: { AI_BASE_URL: model.url, AI_API_KEY: key, AI_MODEL: 'small-model', AI_TIMEOUT_MS: '700' },
});
const people: TestAccount[] = [];
beforeAll(async () => {
  people.push(...(await createAccounts(gateway, 70)));
  await allowModel(gateway, people, model.url);
});
export const somebody = (): TestAccount => people.pop() as TestAccount;
export const question = 'What helps against a migraine attack?';
export const ask = async (message = question, access = somebody().access) =>
  (await send(gateway, 'POST', '/chat/ai/', { message }, access)).json;
export const turns = async (access: string): Promise<{ role: string; content: string }[]> =>
  (await send(gateway, 'GET', '/chat/ai/history/', undefined, access)).json;
export const note = /The language model did not answer/;
export const refused = /The answer of the language model did not pass our safety checks/;
export const disclaimer = /I am a computer program, not a clinician/;

/** Events of a streamed answer, as [name, data]. */
export async function stream(message: string, access = somebody().access) {
  const { status, text, headers } = await gateway.request('/api/v1/chat/ai/', {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${access}` },
    body: JSON.stringify({ message }),
  });
  const events = text
    .split('\n\n')
    .filter(Boolean)
    .map(block => {
      const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return { name, data: JSON.parse(data) };
    });
  let shown = '';
  for (const { name, data } of events) {
    if (name === 'delta') shown += data.text;
    if (name === 'reset') shown = data.text;
  }
  return { status, headers, events, shown, answer: events.at(-1)?.data };
}

/** The log contains neither the key of the model nor any text of messages. */
export function expectNothingLogged(): void {
  const lines = gateway.lines.join('\n');
  expect(lines).toContain('/api/v1/chat/ai/');
  for (const word of [key, 'sk-', 'migraine', 'gravelroot', 'dark room', 'kill myself', 'small-model', 'Zebulon'])
    expect(lines).not.toContain(word);
}
