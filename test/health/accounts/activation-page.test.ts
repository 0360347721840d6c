import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { purgeStale } from '../../../src/health/accounts/erase-accounts.ts';
import { renderMail } from '../../../src/mail/mail-templates.ts';
import { testGateway } from '../../harness/gateway.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { registration, send } from '../../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'empty', workers: true, settings: { SMTP_URL: mails.url } });
const post = (path: string, body: unknown) => send(gateway, 'POST', path, body);

/** What a page shows of itself: its form, that for a new link, or neither. */
async function shown(path: string): Promise<{ form: boolean; renewal: boolean; text: string }> {
  const text = await (await fetch(`${gateway.url}${path}`)).text();
  return {
    form: text.includes('<form class="own"'),
    renewal: /<form class="renewal" method="post">/.test(text),
    text: text.replace(/<(style|script)[\s\S]*?<\/\1>/g, ''),
  };
}
const activationPage = (token: string) => shown(`/api/v1/auth/activate/?token=${token}`);

async function registered(): Promise<{ email: string; token: string }> {
  const form = registration();
  expect((await post('/auth/register/', form)).status).toBe(201);
  return { email: form.email, token: await mails.takeToken(form.email, /activate/i) };
}

test('the page of a link says that it works, and later that it was used', async () => {
  const { token } = await registered();
  expect(await activationPage(token)).toMatchObject({ form: true, renewal: false });
  expect((await post('/auth/activate/', { token })).status).toBe(201);
  const used = await activationPage(token.toUpperCase());
  expect(used).toMatchObject({ form: false, renewal: false });
  expect(used.text).toContain('used already');
  // For clients the answer stays the published one.
  expect((await post('/auth/activate/', { token })).json).toEqual({ token: ['Invalid or expired activation token.'] });
});

test('the page of a link that expired, was replaced or never sent offers a new one, which works', async () => {
  const { email, token } = await registered();
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 49 * 3_600_000);
  expect(await activationPage(token)).toMatchObject({ form: false, renewal: true });
  expect((await post('/auth/resend-activation/', { email })).status).toBe(201);
  const newer = await mails.takeToken(email, /finish/i);
  expect(await activationPage(newer)).toMatchObject({ form: true });
  for (const other of [token, '', 'x', '%00', '<b>'])
    expect(await activationPage(other)).toMatchObject({ form: false, renewal: true });
  expect((await activationPage('<b>')).text).not.toContain('<b>');
});

test('a used link is remembered for 30 days', async () => {
  const { token } = await registered();
  await post('/auth/activate/', { token });
  const after = (days: number) => new Date(gateway.clock.now.getTime() + days * 24 * 3_600_000);
  await purgeStale(gateway.database.sql, after(29));
  expect((await activationPage(token)).text).toContain('used already');
  await purgeStale(gateway.database.sql, after(31));
  expect(await activationPage(token)).toMatchObject({ renewal: true });
});

test('the page of a password reset has a form for a new link as well, which its script shows', async () => {
  const { text, form, renewal } = await shown('/api/v1/auth/password/reset/confirm/');
  expect({ form, renewal }).toEqual({ form: true, renewal: false });
  expect(text).toContain('<form class="renewal" method="post" hidden>');
});

test('mails and pages have one colour', () => {
  const styles = readFileSync(join(import.meta.dirname, '../../../src/pages/pages.css'), 'utf8');
  const [, brand = ''] = /--brand: (#\w+);/.exec(styles) ?? [];
  const { html } = renderMail('account-deleted', { name: 'Ann' }, gateway.clock.now);
  expect([...html.matchAll(/background-color:(#\w+)/g)].map(found => found[1])).toEqual([brand]);
});
