import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import type { DerivedKeys } from '../../src/auth/derived-keys.ts';
import type { Task } from '../../src/jobs/task.ts';
import { mailJob, mailTask, queueMail } from '../../src/mail/send-mail.ts';
import { openTransport } from '../../src/mail/transport.ts';
import { jobHarness, until } from '../jobs/job-harness.ts';
import { type Faults, openFaultySmtpServer } from './faulty-smtp-server.ts';

// The mail job with a retry after a second, and not for days.
const job = { ...mailJob, retry: { limit: 20, delaySeconds: 1, backoff: false } };
const bench = await jobHarness(job);
const keys: Pick<DerivedKeys, 'encryption'> = { encryption: [randomBytes(32)] };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await bench.query('delete from jobs.job');
});

/** Sends one mail through a server with these faults. Returns the state of its job at the end, and the copies that were taken. */
async function send(faults: readonly Faults[]): Promise<{ state: string; copies: number }> {
  const server = await openFaultySmtpServer(faults);
  closing.push(server.close);
  const transport = openTransport({ SMTP_URL: server.url, MAIL_FROM: 'no-reply@portico.test', PORTICO_DATA: '.' });
  closing.push(() => transport.close());
  await bench.inTransaction(db =>
    queueMail(db, keys, { to: 'ann@example.org', template: 'account-deleted', facts: { name: 'Ann' } }),
  );
  await bench.start({ tasks: [{ ...mailTask({ keys, transport }), job } as Task<never>] });
  const [row] = await until('the job has ended', async () => {
    const rows = await bench.rows();
    return rows.every(({ state }) => state === 'completed' || state === 'failed') ? rows : undefined;
  });
  expect(server.taken.size).toBe(1);
  return { state: row?.state ?? '', copies: [...server.taken.values()][0] ?? 0 };
}

const everyTime = (fault: Faults): Faults[] => Array.from({ length: 20 }, () => fault);

test.each<[string, Faults[]]>([
  ['greets slowly', [{ greeting: 2_000 }]],
  ['takes long for the sender', [{ sender: 2_000 }]],
  ['takes long for the recipient', [{ recipient: 2_000 }]],
  ['takes long before the message', [{ data: 2_000 }]],
  ['takes long for the message', [{ message: 4_000 }]],
  ['is closing', [{ greeting: '421 4.3.2 closing' }, { greeting: '421 4.3.2 closing' }]],
  ['closes at the recipient', [{ recipient: '421 4.3.2 closing' }]],
  ['closes after the message', [{ message: '421 4.3.2 closing' }]],
  ['is busy at the recipient', [{ recipient: '451 4.7.1 greylisted' }, { recipient: '451 4.7.1 greylisted' }]],
  ['is busy before the message', [{ data: '451 4.3.0 busy' }]],
  ['is busy after the message', [{ message: '451 4.3.0 busy' }, { message: '452 4.3.1 full' }]],
  ['is cut at the greeting', [{ greeting: 'cut' }]],
  ['is cut at the sender', [{ sender: 'cut' }]],
  ['is cut before the message', [{ data: 'cut' }]],
])('a server that %s takes one copy', async (_what, faults) => {
  expect(await send(faults)).toEqual({ state: 'completed', copies: 1 });
});

test.each<[string, Faults[], { state: string; copies: number }]>([
  ['once', [{ message: 'cut' }], { state: 'completed', copies: 2 }],
  [
    'once, and is busy then',
    [{ message: 'cut' }, { message: '451 4.3.0 busy' }, { greeting: '421 4.3.2 closing' }],
    { state: 'completed', copies: 2 },
  ],
  ['each time', everyTime({ message: 'cut' }), { state: 'failed', copies: 2 }],
  [
    'each time, and is busy in between',
    [{ message: 'cut' }, { recipient: '451 4.7.1 greylisted' }, ...everyTime({ message: 'cut' })],
    { state: 'failed', copies: 2 },
  ],
])(
  'a connection that breaks between a message and its answer %s makes two copies at most',
  async (_what, faults, ending) => {
    expect(await send(faults)).toEqual(ending);
  },
);

test('an attempt has more time than a server that takes all of RFC 5321 at each step', () => {
  // 4.5.3.2: 5 minutes for the greeting, and at most 10 for each answer: to EHLO, MAIL, RCPT, DATA, the message and QUIT.
  expect(mailJob.timeoutSeconds).toBeGreaterThan(5 * 60 + 6 * 10 * 60);
});
