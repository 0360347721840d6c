import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { mailJob, mailTask, queueMail } from '../../src/mail/send-mail.ts';
import { openTransport } from '../../src/mail/transport.ts';
import { jobHarness, until } from '../jobs/job-harness.ts';
import { openFakeSmtpServer } from './fake-smtp-server.ts';

const bench = await jobHarness(mailJob);
const key = randomBytes(32);

let worker: ChildProcess | undefined;
afterEach(() => {
  worker?.kill('SIGKILL');
});

// The one slow test of jobs: a dead worker is detected after 10 seconds without a heartbeat and up to 10 more until the next
// check, and then the retry of the mail job waits 3 to 6 seconds.
test('a mail whose worker is killed while sending it is sent by another', async () => {
  const office = await openFakeSmtpServer({ recipient: count => (count === 1 ? 'silence' : undefined) });
  const program = fileURLToPath(new URL('./mail-worker.ts', import.meta.url));
  worker = spawn(process.execPath, [program, bench.url, office.url, key.toString('hex')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (!worker.stdout) throw new Error('The worker has no output.');
  const [line] = await once(createInterface(worker.stdout), 'line');
  expect(line).toBe('ready');
  await bench.inTransaction(db =>
    queueMail(
      db,
      { encryption: [key] },
      { to: 'ann@example.org', template: 'account-deleted', facts: { name: 'Ann' } },
    ),
  );
  await until('the worker is in the midst of it', () => office.counts.recipient === 1);
  worker.kill('SIGKILL');

  const transport = openTransport({ SMTP_URL: office.url, MAIL_FROM: 'no-reply@portico.test', PORTICO_DATA: '.' });
  await bench.start({ tasks: [mailTask({ keys: { encryption: [key] }, transport })] });
  await until('another sent it', () => office.received.length > 0, 40);
  await until('it is done', async () => (await bench.rows())[0]?.state === 'completed');
  expect(office.received.map(({ to }) => to)).toEqual([['ann@example.org']]);
  transport.close();
  await office.close();
}, 60_000);
