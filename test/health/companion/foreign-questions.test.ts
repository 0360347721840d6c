import { expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { type ForeignQuestion, foreignQuestions } from './foreign-questions.ts';

const gateway = await testGateway({ data: 'demo' });
const people = await createAccounts(gateway, 10);

async function firstOf({ text }: ForeignQuestion, at: number): Promise<string | undefined> {
  // The companion answers twenty questions a minute, and a person's question before is read.
  const { access } = people[at % people.length] as TestAccount;
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 13 * 3_600_000);
  return (await send(gateway, 'POST', '/chat/ai/', { message: text }, access)).json.sources[0]?.headline;
}

/** A migraine in Portuguese finds the tension headache, and the president of Brazil in Arabic an article beside the question. */
const mostWrong = 2;

test('questions in ten languages find the articles in English, with few beside the question', async () => {
  const wrong: string[] = [];
  for (const [at, question] of foreignQuestions.entries()) {
    const found = await firstOf(question, at);
    const isRight = question.headline === null ? found === undefined : question.headline.test(found ?? '');
    if (!isRight) wrong.push(`${question.lang}: ${question.text}: ${found}`);
  }
  expect(wrong.slice(mostWrong)).toEqual([]);
});

test('the answer says that the articles are in English', async () => {
  const [{ access }] = people as [TestAccount];
  const { json } = await send(gateway, 'POST', '/chat/ai/', { message: 'Was hilft bei Migräne?' }, access);
  expect(json.reply).toMatch(/nur Artikel auf Englisch/);
});
