import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { ConfigError } from '../../src/config/config.ts';
import { openTransport } from '../../src/mail/transport.ts';

const { signal } = new AbortController();
const queuedAt = new Date('2026-11-01T12:00:00.123Z');
const letter = {
  id: randomUUID(),
  queuedAt,
  to: 'ann@example.org',
  subject: 'A subject',
  text: 'Grüße\n\nA very long line: https://health.example/api/v1/auth/activate/?token=0b9c6f4e-7a51-4a53-9c02-0c4e6c0f5a11\n',
  html: '<p>Grüße</p>',
};

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'portico-outbox-'));
});
afterEach(() => rm(data, { recursive: true }));

const outbox = () => join(data, 'not', 'yet', 'there', 'outbox');
const open = (folder = join(data, 'not', 'yet', 'there')) =>
  openTransport({ SMTP_URL: undefined, MAIL_FROM: 'Portico <no-reply@portico.test>', PORTICO_DATA: folder });

test('without a mail server every mail is an .eml file', async () => {
  await open().send(letter, signal);
  const files = await readdir(outbox());
  expect(files).toEqual([`20261101T120000123Z-${letter.id}.eml`]);
  const mail = await PostalMime.parse(await readFile(join(outbox(), files[0] ?? '')));
  expect(mail).toMatchObject({
    from: { name: 'Portico', address: 'no-reply@portico.test' },
    to: [{ address: 'ann@example.org' }],
    subject: 'A subject',
    messageId: `<${letter.id}@portico.test>`,
  });
  expect(mail.text?.trim()).toBe(letter.text.trim());
  expect(mail.html?.trim()).toBe(letter.html);
  expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
});

test('the file is readable by its owner alone, because it contains a token', async () => {
  await open().send(letter, signal);
  const [file = ''] = await readdir(outbox());
  expect((await stat(join(outbox(), file))).mode & 0o777).toBe(0o600);
  expect((await stat(outbox())).mode & 0o777).toBe(0o700);
});

test('a mail that is sent again replaces its file', async () => {
  await open().send(letter, signal);
  await open().send({ ...letter, subject: 'Again' }, signal);
  const files = await readdir(outbox());
  expect(files).toHaveLength(1);
  expect(await readFile(join(outbox(), files[0] ?? ''), 'utf8')).toContain('Subject: Again');
});

test('concurrent mails are one file each, and leave no temporary files', async () => {
  const transport = open();
  await Promise.all(Array.from({ length: 25 }, () => transport.send({ ...letter, id: randomUUID() }, signal)));
  const files = await readdir(outbox());
  expect(files).toHaveLength(25);
  expect(files.filter(name => !/^20261101T120000123Z-[0-9a-f-]{36}\.eml$/.test(name))).toEqual([]);
});

test('a folder that cannot be created is an error, so that the mail is retried', async () => {
  const file = join(data, 'file');
  await writeFile(file, '');
  await expect(open(file).send(letter, signal)).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('an invalid MAIL_FROM fails the start with the name of the setting', () => {
  const config = { SMTP_URL: undefined, MAIL_FROM: 'Portico <no-reply@exa_mple.org>', PORTICO_DATA: data };
  expect(() => openTransport(config)).toThrow(ConfigError);
  expect(() => openTransport(config)).toThrow(/^MAIL_FROM must be /);
});
