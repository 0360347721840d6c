import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { DerivedKeys } from '../../src/auth/derived-keys.ts';
import type { Task } from '../../src/jobs/task.ts';
import { InvalidMailAddressError } from '../../src/mail/mail-address.ts';
import { mailJob, mailTask, queueMail } from '../../src/mail/send-mail.ts';
import { openTransport } from '../../src/mail/transport.ts';
import { jobHarness, until } from '../jobs/job-harness.ts';
import { type FakeSmtpReplies, type FakeSmtpServer, openFakeSmtpServer } from './fake-smtp-server.ts';

// The mail job with a retry after a second, and not for days.
const job = { ...mailJob, retry: { limit: 20, delaySeconds: 1, backoff: false } };
const bench = await jobHarness(job);
const keys: Pick<DerivedKeys, 'encryption'> = { encryption: [randomBytes(32)] };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await bench.query('delete from jobs.job');
});
const postOffice = async (rules?: FakeSmtpReplies): Promise<FakeSmtpServer> => {
  const office = await openFakeSmtpServer(rules);
  closing.push(office.close);
  return office;
};
const sender = (smtp: string, sealedWith = keys): Task<never> => {
  const config = { SMTP_URL: smtp, MAIL_FROM: 'Portico Tests <no-reply@portico.test>', PORTICO_DATA: '.' };
  const transport = openTransport(config);
  closing.push(() => transport.close());
  return { ...mailTask({ keys: sealedWith, transport }), job };
};
const link = 'https://health.example/api/v1/auth/activate/?token=0b9c6f4e-7a51-4a53-9c02-0c4e6c0f5a11';
const queue = (to: string, name = 'Ann', at?: Date) =>
  bench.inTransaction(db =>
    queueMail(db, keys, {
      to,
      template: 'activation',
      facts: { name, link, validHours: 48 },
      ...(at === undefined ? {} : { at }),
    }),
  );
const onlyRow = async () => {
  const rows = await bench.rows();
  expect(rows).toHaveLength(1);
  return rows[0];
};
const finished = (state: 'completed' | 'failed') =>
  until(`the job is ${state}`, async () => {
    const rows = await bench.rows();
    return rows.length > 0 && rows.every(row => row.state === state);
  });
const header = (office: FakeSmtpServer, name: string, index = 0) =>
  office.received[index]?.mail.headers.filter(({ key }) => key === name).map(({ value }) => value);

describe('a mail', () => {
  test('arrives with a text and an HTML part, and the headers of an automatic mail', async () => {
    const office = await postOffice();
    await queue('ann@example.org', 'Ann', new Date('2026-11-01T12:00:00Z'));
    await bench.start({ tasks: [sender(office.url)] });
    await finished('completed');
    const row = await onlyRow();
    expect(office.received).toHaveLength(1);
    const { mail, from, to } = office.received[0] ?? {};
    expect([from, to]).toEqual(['no-reply@portico.test', ['ann@example.org']]);
    expect(mail).toMatchObject({
      from: { name: 'Portico Tests', address: 'no-reply@portico.test' },
      to: [{ name: '', address: 'ann@example.org' }],
      subject: 'Activate your Portico account',
      messageId: `<${row?.id}@portico.test>`,
    });
    expect(header(office, 'auto-submitted')).toEqual(['auto-generated']);
    expect(Math.abs(Date.now() - Date.parse(mail?.date ?? ''))).toBeLessThan(60_000);
    expect(header(office, 'x-mailer')).toEqual([]);
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain('Hello Ann,');
      expect(part).toContain(link);
      expect(part).toMatch(/until Tuesday, 3 November 2026 at\s12:00 UTC\./);
    }
    expect(bench.log).toEqual([]);
  });

  test('of a transaction that rolls back is never sent', async () => {
    const office = await postOffice();
    const rolledBack = bench.inTransaction(async db => {
      await queueMail(db, keys, { to: 'never@example.org', template: 'account-deleted', facts: { name: '' } });
      throw new Error('changed our mind');
    });
    await expect(rolledBack).rejects.toThrow('changed our mind');
    await queue('later@example.org');
    await bench.start({ tasks: [sender(office.url)] });
    await finished('completed');
    expect(office.received.map(({ to }) => to)).toEqual([['later@example.org']]);
  });

  test('is stored encrypted, without its address and its token in clear text', async () => {
    await queue('ann@example.org');
    const [{ row }] = await bench.query('select job::text as row from jobs.job');
    expect(row).toContain('sealed');
    for (const secret of ['ann', 'example', 'Ann', 'activate', '0b9c6f4e']) expect(row).not.toContain(secret);
  });

  test('that was encrypted with another secret fails permanently', async () => {
    const office = await postOffice();
    await queue('ann@example.org');
    await bench.start({ tasks: [sender(office.url, { encryption: [randomBytes(32)] })] });
    await finished('failed');
    expect(office.counts.sender).toBe(0);
    expect(bench.log.map(({ facts }) => facts.message)).toEqual(['The mail was sealed with another SECRET_KEY.']);
  });
});

test('two processes send each of 50 mails once', async () => {
  const office = await postOffice();
  const addresses = Array.from({ length: 50 }, (_, index) => `reader-${index}@example.org`);
  await bench.start({ tasks: [sender(office.url)] });
  await bench.start({ tasks: [sender(office.url)] });
  for (const address of addresses) await queue(address);
  await finished('completed');
  expect(office.received.flatMap(({ to }) => to).sort()).toEqual([...addresses].sort());
});

describe('a mail server', () => {
  test('that is down at first receives the mail once when it is up', async () => {
    const before = await openFakeSmtpServer();
    await before.close();
    await queue('ann@example.org');
    await bench.start({ tasks: [sender(before.url)] });
    await until('it was tried', () => bench.log.length > 0);
    const office = await postOffice({ port: before.port });
    await finished('completed');
    expect(office.received.map(({ to }) => to)).toEqual([['ann@example.org']]);
    expect(bench.log[0]).toMatchObject({ level: 'warn', facts: { job: 'mail', attempt: 1, code: 'ESOCKET' } });
  });

  test('with a temporary error receives the mail later', async () => {
    const office = await postOffice({
      recipient: count => (count === 1 ? [451, '4.7.1 <ann@example.org> is greylisted'] : undefined),
    });
    await queue('ann@example.org');
    await bench.start({ tasks: [sender(office.url)] });
    await finished('completed');
    expect(office.received).toHaveLength(1);
    expect(bench.log.map(({ level, facts }) => [level, facts.message])).toEqual([
      ['warn', 'The mail server does not take the mail now: RCPT TO 451 4.7.1.'],
    ]);
  });

  test.each([
    [
      'the recipient',
      { recipient: () => [550, '5.1.1 no such user <ann@example.org>'] as [number, string] },
      'RCPT TO 550 5.1.1',
    ],
    ['the message', { message: () => [554, '5.7.1 spam for ann@example.org'] as [number, string] }, 'DATA 554 5.7.1'],
  ])(
    'that refuses %s for good is not asked again, and the address stays out of log and table',
    async (_what, rules, reply) => {
      const office = await postOffice(rules);
      await queue('ann@example.org');
      await bench.start({ tasks: [sender(office.url)] });
      await finished('failed');
      const row = await onlyRow();
      expect(row?.retry_count).toBe(0);
      expect(office.counts.recipient).toBeLessThanOrEqual(1);
      expect(bench.log).toEqual([
        {
          level: 'warn',
          facts: {
            job: 'mail',
            id: row?.id,
            attempt: 1,
            error: 'PermanentError',
            message: `The mail server refuses the mail: ${reply}.`,
          },
          message: 'a job was given up',
        },
      ]);
      expect(JSON.stringify([bench.log, row?.output])).not.toMatch(/ann|example/);
    },
  );

  test('that refuses the sender loses no mail, because that is a wrong setting', async () => {
    const office = await postOffice({ sender: count => (count === 1 ? [550, 'who are you'] : undefined) });
    await queue('ann@example.org');
    await bench.start({ tasks: [sender(office.url)] });
    await finished('completed');
    expect(office.received).toHaveLength(1);
  });

  test('that stops responding is tried again, with the same Message-ID', async () => {
    const office = await postOffice({ message: count => (count === 1 ? 'silence' : undefined) });
    await queue('ann@example.org');
    await bench.start({ tasks: [sender(`${office.url}?socketTimeout=400`)] });
    await finished('completed');
    const { id } = (await onlyRow()) ?? {};
    expect(office.received.map(({ mail }) => mail.messageId)).toEqual([`<${id}@portico.test>`, `<${id}@portico.test>`]);
    expect(bench.log).toMatchObject([{ level: 'warn', facts: { code: 'ETIMEDOUT' } }]);
  });

  test('that never greets blocks a mail only until the timeout', async () => {
    let connections = 0;
    const office = await postOffice({
      server: {
        onConnect(_session, done) {
          if (++connections > 1) done();
        },
      },
    });
    await queue('ann@example.org');
    await bench.start({ tasks: [sender(`${office.url}?greetingTimeout=400`)] });
    await finished('completed');
    expect(office.received).toHaveLength(1);
    expect(connections).toBe(2);
  });
});

describe('addresses with non-ASCII letters', () => {
  test('are sent unchanged when the server supports SMTPUTF8', async () => {
    const office = await postOffice();
    await queue('jörg@bücher.example');
    await bench.start({ tasks: [sender(office.url)] });
    await finished('completed');
    expect(office.received[0]?.smtpUtf8).toBe(true);
    expect(office.received[0]?.raw).toMatch(/^To: jörg@bücher\.example\r$/m);
  });

  test('are sent in ASCII when only the domain has them', async () => {
    const office = await postOffice({ server: { hideSMTPUTF8: true } });
    await queue('ann@bücher.example');
    await bench.start({ tasks: [sender(office.url)] });
    await finished('completed');
    expect(office.received[0]?.smtpUtf8).toBe(false);
    expect(office.received[0]?.raw).toMatch(/^To: ann@xn--bcher-kva\.example\r$/m);
  });
});

describe('header injection is refused', () => {
  test.each([
    'ann@example.org\r\nBcc: eve@example.org',
    'ann@example.org\nRCPT TO:<eve@example.org>',
    'ann@example.org, eve@example.org',
    'Ann <ann@example.org>',
    '"ann\r\nBcc: eve"@example.org',
    'ann@example.org>\r\nDATA',
    'ann\u0000@example.org',
    'ann@example.org\u2028',
  ])('through the address %j', async to => {
    await expect(queue(to)).rejects.toThrow(InvalidMailAddressError);
    expect(await bench.rows()).toEqual([]);
  });

  test('through the name', async () => {
    const office = await postOffice();
    const mark = randomUUID();
    await queue('ann@example.org', `Ann\r\nBcc: eve@example.org\r\nX-Mark: ${mark}\r\n\r\n<b>Buy</b>`);
    await bench.start({ tasks: [sender(office.url)] });
    await finished('completed');
    expect(office.received).toHaveLength(1);
    expect(office.received[0]?.to).toEqual(['ann@example.org']);
    expect(office.received[0]?.raw).not.toContain(mark);
    expect(header(office, 'bcc')).toEqual([]);
    expect(office.received[0]?.mail.text).toMatch(/^Hello,\n/);
  });
});
