import { afterAll } from '@jest/globals';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A real SMTP server on a loopback port that stores received mail. */
export interface Mailbox {
  url: string;
  mails: Email[];
  /** Removes and returns the next mail to an address with a matching subject; waits up to ten seconds. */
  take(to: string, subject: RegExp): Promise<Email>;
  /** The token in the link of such a mail. */
  takeToken(to: string, subject: RegExp): Promise<string>;
}

export async function mailbox(): Promise<Mailbox> {
  const mails: Email[] = [];
  let arrived = (): void => {};
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    // Pooled connections of the sender stay open; closing does not wait for them.
    closeTimeout: 100,
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', chunk => chunks.push(chunk));
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks)).then(mail => {
          mails.push(mail);
          arrived();
          done();
        }, done);
      });
    },
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => new Promise<void>(resolve => server.close(() => resolve())));
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const take = async (to: string, subject: RegExp): Promise<Email> => {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const at = mails.findIndex(
        mail =>
          mail.to?.some(recipient => recipient.address?.toLowerCase() === to.toLowerCase()) &&
          subject.test(mail.subject ?? ''),
      );
      const [found] = at < 0 ? [] : mails.splice(at, 1);
      if (found) return found;
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`No mail to ${to} with ${subject}; there are: ${mails.map(mail => mail.subject).join(', ')}`);
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, left);
        arrived = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    take,
    async takeToken(to, subject) {
      const { text = '' } = await take(to, subject);
      const token = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0];
      if (!token) throw new Error(`The mail holds no token: ${text}`);
      return token;
    },
  };
}
