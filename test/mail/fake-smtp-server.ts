import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface Received {
  mail: Email;
  raw: string;
  /** The envelope, which may differ from the headers. */
  from: string;
  to: string[];
  smtpUtf8: boolean;
}

/** A reply other than success: code and text, or no reply at all. */
type Refusal = [code: number, words: string] | 'silence' | undefined;

export interface FakeSmtpReplies {
  /** 0 or absent: any free port. */
  port?: number;
  /** Called at each step; `count` is 1 at the first time. */
  sender?(count: number): Refusal;
  recipient?(count: number, address: string): Refusal;
  /** Called when the message is complete. */
  message?(count: number): Refusal;
  server?: SMTPServerOptions;
}

/** An SMTP server on the loopback interface. */
export interface FakeSmtpServer {
  url: string;
  port: number;
  /** Every complete message, including refused ones. */
  received: Received[];
  /** Calls of each step. */
  counts: { sender: number; recipient: number; message: number };
  close(): Promise<void>;
}

export async function openFakeSmtpServer(rules: FakeSmtpReplies = {}): Promise<FakeSmtpServer> {
  const received: Received[] = [];
  const counts = { sender: 0, recipient: 0, message: 0 };
  const answer = (objection: Refusal, done: (error?: Error) => void): void => {
    if (objection === 'silence') return;
    if (objection === undefined) done();
    else done(Object.assign(new Error(objection[1]), { responseCode: objection[0] }));
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 50,
    logger: false,
    onMailFrom: (_address, _session, done) => answer(rules.sender?.(++counts.sender), done),
    onRcptTo: ({ address }, _session, done) => answer(rules.recipient?.(++counts.recipient, address), done),
    async onData(stream, { envelope }, done) {
      const bytes = await buffer(stream);
      received.push({
        mail: await PostalMime.parse(bytes),
        raw: bytes.toString('utf8'),
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        smtpUtf8: envelope.smtpUtf8 === true,
      });
      answer(rules.message?.(++counts.message), done);
    },
    ...rules.server,
  });
  // Some tests kill clients or make them time out, which breaks connections.
  server.on('error', () => {});
  const listener = server.listen(rules.port ?? 0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    counts,
    close: () => new Promise(settle => server.close(() => settle())),
  };
}
