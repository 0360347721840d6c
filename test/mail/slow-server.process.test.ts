import { randomBytes } from 'node:crypto';
import { afterAll, expect, jest, test } from '@jest/globals';
import type { DerivedKeys } from '../../src/auth/derived-keys.ts';
import type { Task } from '../../src/jobs/task.ts';
import { mailJob, mailTask, queueMail } from '../../src/mail/send-mail.ts';
import { openTransport } from '../../src/mail/transport.ts';
import { jobHarness, until } from '../jobs/job-harness.ts';
import { openFaultySmtpServer } from './faulty-smtp-server.ts';

jest.setTimeout(180_000);

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});
const bench = await jobHarness(mailJob);
const keys: Pick<DerivedKeys, 'encryption'> = { encryption: [randomBytes(32)] };

test('a server that greets after 15 seconds and answers a message after 45 is waited for, and takes one copy', async () => {
  const server = await openFaultySmtpServer([{ greeting: 15_000, message: 45_000 }]);
  const transport = openTransport({ SMTP_URL: server.url, MAIL_FROM: 'no-reply@portico.test', PORTICO_DATA: '.' });
  closing.push(server.close, () => transport.close());
  await bench.inTransaction(db =>
    queueMail(db, keys, { to: 'ann@example.org', template: 'account-deleted', facts: { name: 'Ann' } }),
  );
  await bench.start({ tasks: [mailTask({ keys, transport }) as Task<never>] });
  await until('the mail is sent', async () => (await bench.rows()).every(({ state }) => state === 'completed'), 150);
  expect([...server.taken.values()]).toEqual([1]);
  expect(bench.log).toEqual([]);
});
