import { describe, expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo' });
const ask = async ({ access }: TestAccount, message: string) =>
  (await send(gateway, 'POST', '/chat/ai/', { message }, access)).json;
const somebody = async (columns: Record<string, unknown> = {}): Promise<TestAccount> =>
  (await createAccounts(gateway, [columns]))[0] as TestAccount;

const anybody = await somebody();

describe('small talk is answered', () => {
  test.each([
    ['Hello', /Hello/],
    ['Thanks!', /welcome/],
    ['ok thank you so much for your help', /welcome/],
    ['Good morning', /Hello/],
    ['Merci beaucoup', /vous en prie/],
    ['Hola, buenos días', /Hola/],
    ['谢谢', /不客气/],
    ['grazie di tutto', /./],
    ['cheers mate', /welcome/],
    ['are you a real doctor?', /computer program/],
    ['ты кто?', /компьютерная программа/],
    ['شكرا', /على الرحب/],
  ])('%s', async (message, words) => {
    const { reply, sources, safety } = await ask(anybody, message);
    expect(reply).toMatch(words);
    expect(reply).not.toMatch(/no article/);
    expect({ sources, level: safety.level }).toEqual({ sources: [], level: 'none' });
  });

  test('but a question that greets is a question', async () => {
    expect((await ask(anybody, 'Hello, what helps against a migraine?')).sources[0].headline).toMatch(/migraine/i);
  });
});

describe('the question before is read', () => {
  test.each([
    ['How do I bring down a fever?', 'and for a baby?', /bab/i],
    ['What helps against a migraine attack?', 'how long does it last?', /migraine/i],
    ['How do I stop a nosebleed?', 'And what if it keeps coming back?', /nosebleed/i],
    ['How can I lower my cholesterol?', 'tell me more', /cholesterol/i],
    ['How do I treat a burn?', 'when should I go to the doctor with it?', /burn/i],
    ['I twisted my ankle at football', 'should I use ice?', /sprain/i],
    ['my lower back hurts since I lifted a box', 'should I rest?', /back/i],
    ['I have a sprained ankle', 'do I need an x-ray?', /sprain/i],
  ])('%s – %s', async (first, second, headline) => {
    const who = await somebody();
    await ask(who, first);
    expect((await ask(who, second)).sources[0]?.headline).toMatch(headline);
  });

  test('but not where the question names another subject', async () => {
    const who = await somebody();
    await ask(who, 'I twisted my ankle at football');
    for (const question of ['can I drink coffee in the evening?', 'should I take iron for my anaemia?'])
      expect((await ask(who, question)).sources[0]?.headline ?? '').not.toMatch(/sprain/i);
  });

  test('not that of a crisis, and not of another person', async () => {
    const who = await somebody();
    await ask(who, 'I want to die');
    expect((await ask(who, 'tell me more')).sources).toEqual([]);
    expect((await ask(await somebody(), 'and for a baby?')).sources.length).toBeLessThanOrEqual(2);
  });
});

describe('sections answer what was asked', () => {
  test.each([
    ['How do I stop a nosebleed?', [/Pinch the soft part/, /lean forward/, /fifteen minutes of steady pressure/]],
    ['Which foods have a lot of iron?', [/red meat/, /lentils/]],
    ['what should I do about a small burn', [/cool/i, /water/]],
    ['When should I go to hospital with a burn?', [/Go to hospital or call emergency services for/]],
    ['pregnancy, what are warning signs?', [/Do not wait with these/, /vaginal bleeding/]],
  ])('%s', async (question, needed) => {
    const { reply } = await ask(anybody, question);
    for (const words of needed) expect(reply).toMatch(words);
  });

  test.each(['What helps against a cough?', 'How do I stop a nosebleed?', 'my eyes are tired from screens'])(
    'when to see a doctor is always among them: %s',
    async question => {
      expect((await ask(anybody, question)).reply).toMatch(/clinician|doctor|emergency|optician|hospital/i);
    },
  );

  test.each(['How do I stop a nosebleed?', 'What helps against hay fever?', 'how do I treat acne'])(
    'no article beside the question is cited: %s',
    async question => expect((await ask(anybody, question)).sources).toHaveLength(1),
  );
});

describe('what is known of the person', () => {
  test('pregnancy goes first', async () => {
    const pregnant = await somebody({ conditions: ['Pregnancy'], gender: 'F' });
    for (const [who, question] of [
      [pregnant, 'Can I drink a glass of wine with dinner?'],
      [anybody, 'I am pregnant, can I drink a glass of wine?'],
    ] as const) {
      const { reply } = await ask(who, question);
      const [first = ''] = reply.split('\n').filter((line: string) => line.startsWith('- '));
      expect(first).toMatch(/pregnan|Stop alcohol/i);
      expect(first).not.toMatch(/smaller glasses/);
    }
  });

  test('an article on the stage before a disease is none for those who have it', async () => {
    const diabetic = await somebody({ conditions: ['Type 2 diabetes'], has_diabetes: 'Y' });
    const { sources } = await ask(diabetic, 'What should I eat to keep my blood sugar down?');
    expect(sources.map(({ headline }: { headline: string }) => headline).join()).not.toMatch(/prediabetes/i);
    const { json } = await send(gateway, 'GET', '/articles/recommended/', undefined, diabetic.access);
    expect(json.results.map(({ headline }: { headline: string }) => headline).join()).not.toMatch(/prediabetes/i);
  });

  test('a pregnancy is the reason of a recommendation, and no diet is', async () => {
    const pregnant = await somebody({ conditions: ['pregnant'], gender: 'F', date_of_birth: '1995-05-05' });
    await send(gateway, 'POST', '/health/goals/', { goal_type: 'calories', target_value: 2200 }, pregnant.access);
    const { json } = await send(gateway, 'GET', '/articles/recommended/?page_size=50', undefined, pregnant.access);
    const about = json.results.find(({ headline }: { headline: string }) => /pregnan/i.test(headline));
    expect(about.reason).toMatch(/pregnan/i);
    expect(json.results.map(({ reason }: { reason: string }) => reason).join()).not.toMatch(/what you eat/);
  });
});

test.each([
  ['what is endometriosis?', /womb|uterus|endometriosis/i],
  ['What is gout', /joint/i],
  ['plantar fasciitis', /heel|foot/i],
])('a condition without an article is described: %s', async (question, words) => {
  const { reply, sources } = await ask(anybody, question);
  expect(reply).toMatch(words);
  expect(reply).not.toMatch(/no article/);
  expect(sources).toEqual([]);
});

test('symptoms are handed to an assessment, and its causes back', async () => {
  const { assessment, reply } = await ask(anybody, 'I have had a sore throat and a runny nose since Monday');
  expect(reply).toMatch(/assessment/);
  const created = await send(gateway, 'POST', '/assessments/', assessment, anybody.access);
  expect(created.status).toBe(201);
  const [question] = created.json.result.questions;
  expect((await ask(anybody, question)).reply).not.toMatch(/no article/);
  expect((await ask(anybody, 'what is a sore throat?')).assessment).toBeUndefined();
});
