import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import type { SendMailOptions } from 'nodemailer';
import { type Config, ConfigError } from '../config/config.ts';
import { PermanentError, TransientError, UnconfirmedError } from '../jobs/job-errors.ts';
import { parseSender, type Sender } from './mail-address.ts';
import type { RenderedMail } from './mail-layout.ts';
import { writeToOutbox } from './write-to-outbox.ts';

/** A rendered mail with its recipient. */
interface OutgoingMail extends RenderedMail {
  /** Id of the job, the same in every attempt. */
  id: string;
  queuedAt: Date;
  /** One address, as `parseMailAddress` returns it. */
  to: string;
}

/** Delivers mails to a mail server or to a folder. */
export interface MailTransport {
  /** Delivers it. Throws PermanentError when it was refused for good, TransientError when it may go another time. */
  send(letter: OutgoingMail, signal: AbortSignal): Promise<void>;
  /** Aborts the mails that are being sent. */
  close(): void;
}

/**
 * Opens the transport: SMTP_URL if it is set, otherwise the folder `<data>/outbox/`. Connects when the first mail is sent.
 * Throws ConfigError on a MAIL_FROM that nothing can be sent from.
 */
export function openTransport(config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'PORTICO_DATA'>): MailTransport {
  const compose = createComposer(config.MAIL_FROM);
  return config.SMTP_URL === undefined
    ? outboxTransport(resolve(config.PORTICO_DATA, 'outbox'), compose)
    : smtpTransport(config.SMTP_URL, compose);
}

type Compose = (letter: OutgoingMail) => SendMailOptions;

function createComposer(mailFrom: string): Compose {
  const from = parseMailFrom(mailFrom);
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return ({ id, to, subject, text, html }) => ({
    from,
    // An object, because a string would be parsed as a list of addresses.
    to: { name: '', address: to },
    envelope: { from: from.address, to: [to] },
    subject,
    text,
    html,
    // A repetition after an answer that was lost is recognised by it as the same mail.
    messageId: `<${id}@${domain}>`,
    date: new Date(),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function parseMailFrom(mailFrom: string): Sender {
  try {
    return parseSender(mailFrom);
  } catch {
    throw new ConfigError(
      'MAIL_FROM must be an address that mail can come from, such as Portico <no-reply@example.org>.',
    );
  }
}

/** Mails that are sent at the same time. */
export const smtpConnections = 4;

/**
 * In milliseconds, those that RFC 5321 (4.5.3.2) asks of a client: 5 minutes for the greeting, and 10 for the answer to the end of a
 * message, which one limit without traffic stands for at every step. A client that gives up earlier sends a mail again that a slow server
 * has taken.
 */
const smtpTimeouts = {
  dnsTimeout: 30_000,
  connectionTimeout: 30_000,
  greetingTimeout: 5 * 60_000,
  socketTimeout: 11 * 60_000,
};

function smtpTransport(url: string, compose: Compose): MailTransport {
  // Parameters of the URL take precedence, such as ?requireTLS=true or ?socketTimeout=60000.
  const options = {
    url,
    pool: true,
    maxConnections: smtpConnections,
    // A message of which nothing was sent when its connection broke. Others return to the job queue, which backs off.
    maxRequeues: 1,
    ...smtpTimeouts,
  };
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    const server = createTransport(options);
    // A failed message also rejects its `sendMail`.
    server.on('error', () => {});
    server.use('stream', (mail, done) => {
      const { onRead } = mail.data as ObservedMail;
      mail.message.transform(() => {
        const passing = new PassThrough();
        passing.once('end', () => onRead());
        return passing;
      });
      done();
    });
    return server;
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    async send(letter, signal) {
      opened ??= open();
      const server = await opened;
      let isSent = false;
      const observed: ObservedMail = {
        ...compose(letter),
        signal,
        onRead() {
          isSent = true;
        },
      };
      try {
        await server.sendMail(observed);
      } catch (error) {
        throw classifySmtpError(error, isSent);
      }
    },
    close: () => void opened?.then(server => server.close({ force: true })),
  };
}

interface ObservedMail extends SendMailOptions {
  /** Called when the whole message is on its way. */
  onRead(): void;
}

/**
 * Classifies an error of the mail server. A 5xx reply to the recipient or to the message is permanent, and so is a missing
 * recipient. Every other error may be fixed by the operator: a 5xx reply to the login or the sender is a wrong setting. Only the
 * codes of the reply are kept, because its text repeats the address. A server that has received the whole message, which `isSent` says,
 * and does not answer may have taken it.
 */
function classifySmtpError(error: unknown, isSent: boolean): unknown {
  const { code, command, permanent, responseCode, response } = error as Record<string, unknown>;
  if (typeof code !== 'string') return error;
  const [, enhanced = ''] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(String(response ?? '')) ?? [];
  const reply = [command, responseCode, enhanced].filter(Boolean).join(' ') || code;
  const isAboutMail = command === 'RCPT TO' || command === 'DATA';
  const needsLogin = responseCode === 530 || responseCode === 535;
  const noAddress = code === 'EENVELOPE' && responseCode === undefined;
  if ((permanent === true && isAboutMail && !needsLogin) || noAddress) {
    return new PermanentError(`The mail server refuses the mail: ${reply}.`);
  }
  if (isSent && responseCode === undefined) {
    const text = `The mail server has not said whether it takes the mail: ${reply}.`;
    return Object.assign(new UnconfirmedError(text), { code });
  }
  return Object.assign(new TransientError(`The mail server does not take the mail now: ${reply}.`), { code });
}

function outboxTransport(folder: string, compose: Compose): MailTransport {
  return {
    async send(letter) {
      const { createTransport } = await import('nodemailer');
      const writer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await writer.sendMail(compose(letter));
      await writeToOutbox(folder, letter, message as Buffer);
    },
    close() {},
  };
}
