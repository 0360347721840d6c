import { describe, expect, test } from '@jest/globals';
import { type MailFacts, type MailTemplate, renderMail } from '../../src/mail/mail-templates.ts';

const at = new Date('2026-11-01T12:00:00Z');
const link = 'https://health.example/api/v1/auth/activate/?token=0b9c&next=/home';
const withLink = { name: 'Ann', link, validHours: 48 };
const notice = { name: 'Ann', resetLink: link };

const facts: MailFacts = {
  activation: withLink,
  'activation-again': withLink,
  'password-reset': { ...withLink, validHours: 1 },
  'password-changed': notice,
  'already-registered': notice,
  'account-deleted': { name: 'Ann', erasure: { accountId: 1234, afterDays: 30 } },
  warning: { name: 'Ann', reason: 'Comments must not insult people.' },
  'account-suspended': { name: 'Ann', reason: 'Comments must not insult people.', until: '2026-12-01T12:00:00Z' },
  'email-verification': { ...withLink, login: 'ann' },
  'locked-out': { name: 'Ann', what: 'the account ann', minutes: 5 },
  'organization-invitation': { name: 'Ann', organization: 'harbor-lab', link },
};
const names = Object.keys(facts) as MailTemplate[];
const mail = (name: MailTemplate, more: object = {}) => renderMail(name, { ...facts[name], ...more } as never, at);
const words = (html: string) =>
  html
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

describe.each(names)('the mail «%s»', name => {
  const { subject, text, html } = mail(name);

  test('names the service and the recipient, and says what to do if it was not you', () => {
    expect(subject).toMatch(/^[\x20-\x7e]{10,60}$/);
    expect(subject).toContain('Portico');
    for (const part of [text, words(html)]) {
      expect(part).toContain('Hello Ann,');
      expect(part).toMatch(/Was it not you\?|Did you not register\?|Do you not know the organization\?/);
    }
  });

  test('has the same content in both parts', () => {
    const sentences = text
      .replace(/^.*:\nhttps:.*$/gm, '')
      .replace(/\s+/g, ' ')
      .split(/(?<=[.?]) /)
      .map(sentence => sentence.replace(/^Hello Ann, |^-- /, '').trim());
    for (const sentence of sentences) expect(words(html)).toContain(sentence);
    expect(sentences.length).toBeGreaterThan(4);
  });

  test('has no line that is too long for a mail program', () => {
    for (const line of text.split('\n')) if (!line.startsWith('https:')) expect(line.length).toBeLessThanOrEqual(72);
  });

  test('loads nothing, runs no script and links only to the given URL', () => {
    expect(html).not.toMatch(/<(img|script|link|iframe|object|form|video|audio|base)\b|\bsrc=|url\(|@import|\bon\w+=/i);
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
    expect(new Set(targets)).toEqual(new Set(text.includes(link) ? [link.replace('&', '&amp;')] : []));
  });

  test('supports narrow screens and dark mode', () => {
    expect(html).toContain('name="viewport"');
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    // No fixed width, and no text colour without a background colour.
    expect(html).not.toMatch(/[;"]width:|width="/);
    for (const [style] of html.matchAll(/style="[^"]*[;"]color:#[^"]*"/g)) expect(style).toContain('background-color:');
  });

  test('greets only with what looks like a name', () => {
    const spoofs = [
      'Visit evil.example',
      'https://evil.example',
      '<b>Ann</b>',
      'Ann & Co',
      'Ann\nEve',
      'Ann\u202e',
      '50% off today!',
      'x'.repeat(80),
      ' ',
      '',
    ];
    for (const spoof of spoofs) {
      const { text: spoofed, html: page } = mail(name, { name: spoof });
      expect(spoofed).toMatch(/^Hello,\n/);
      expect(words(page)).toContain(' Hello, ');
    }
    for (const real of ['Zoë', 'J. R. Smith', 'María del Carmen', 'O’Neil', "O'Neil", '王小明', 'محمد', 'Anna-Lena'])
      expect(mail(name, { name: real }).text).toContain(`Hello ${real},`);
    expect(mail(name, { name: "O'Neil" }).html).toContain('Hello O&#39;Neil,');
  });
});

test('a mail with a link states until when the link works', () => {
  expect(mail('activation').text.replace(/\s+/g, ' ')).toContain(
    'The link works once, for 48 hours: until Tuesday, 3 November 2026 at 12:00 UTC.',
  );
  expect(mail('password-reset').text.replace(/\s+/g, ' ')).toContain(
    'for one hour: until Sunday, 1 November 2026 at 13:00 UTC.',
  );
});

test('an activation mail states the number of pending registrations, and that none of several passwords is used', () => {
  const flat = (name: MailTemplate, more: object = {}) => mail(name, more).text.replace(/\s+/g, ' ');
  for (const name of ['activation', 'activation-again'] as const)
    expect(flat(name)).toContain('There is 1 registration with this mail address');
  const several = flat('activation-again', { registrations: 3 });
  expect(several).toContain('There are 3 registrations with this mail address');
  expect(several).toContain('None of these passwords will be used');
  expect(several).toContain('Did you register only once?');
});

test('a notice has no link when there is no page', () => {
  for (const name of ['password-changed', 'already-registered'] as const) {
    const { text, html } = renderMail(name, { name: 'Ann' }, at);
    expect(text).not.toContain('http');
    expect(html).not.toContain('href');
  }
});

test.each(['javascript:alert(1)', 'data:text/html,x', '/activate?token=1', ''])(
  'a button never leads to %j',
  target => {
    expect(() => mail('activation', { link: target })).toThrow(TypeError);
  },
);

test('a link is escaped', () => {
  const { html, text } = mail('activation', { link: 'https://health.example/?t="><script>alert(1)</script>\r\nX: y' });
  expect(html).not.toContain('<script');
  expect(text).not.toContain('\nX: y');
});
