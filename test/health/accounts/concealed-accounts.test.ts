import { expect, test } from '@jest/globals';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { person, registration, send } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({
  data: 'empty',
  workers: true,
  settings: { SMTP_URL: mails.url, CONCEAL_EXISTING_ACCOUNTS: 'on', RATE_LIMIT_FACTOR: 'on' },
});
const post = (path: string, body?: unknown) => send(gateway, 'POST', path, body);

test('concealed accounts are revealed neither by registering nor by logging in', async () => {
  const someone = await person(gateway, mails);
  const fresh = registration();
  const taken = { ...registration(someone.email), password: 'a password of mine 1', password2: 'a password of mine 1' };
  const numbers: number[] = [];
  for (const form of [fresh, taken, fresh, taken]) {
    const { status, json } = await post('/auth/register/', form);
    expect(status).toBe(201);
    expect(json).toMatchObject({ email: form.email, is_active: false, detail: 'Activation e-mail sent.' });
    numbers.push(json.id);
  }
  expect(numbers).not.toContain(someone.id);
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0));
  expect(new Set(steps)).toEqual(new Set([2]));
  await mails.take(someone.email, /already have/i);

  for (const form of [fresh, taken]) {
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await post('/auth/login/', form)).toMatchObject({ status: 401, json: { code: 'no_active_account' } });
    }
    expect((await post('/auth/login/', form)).status).toBe(429);
  }
});
