import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a mail server does instead of taking a mail: refuses for now, at the greeting or after the message, or does not answer it. */
export type MailFault = '421' | '451' | 'silent';

/** An SMTP server whose fault changes while it runs. */
export class MailServer {
  /** Recipient → how many copies were taken: answered with 250. */
  readonly taken = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer(socket => this.#serve(socket));
  /** Answers that are held back until the fault ends. */
  #held: (() => void)[] = [];
  #fault: MailFault | undefined;

  /** Its address; port 0 takes a free one. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  set fault(fault: MailFault | undefined) {
    this.#fault = fault;
    if (fault === 'silent') return;
    for (const answer of this.#held.splice(0)) answer();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#fault === '421') {
      socket.end('421 4.3.2 try again later\r\n');
      return;
    }
    let text = '';
    let recipients: string[] = [];
    let isMessage = false;
    const say = (reply: string): void => {
      if (socket.writable) socket.write(`${reply}\r\n`);
    };
    const take = (): void => {
      if (!socket.writable) return;
      for (const recipient of recipients) this.taken.set(recipient, (this.taken.get(recipient) ?? 0) + 1);
      recipients = [];
      say('250 2.0.0 taken');
    };
    socket.on('data', chunk => {
      text += chunk.toString('latin1');
      for (;;) {
        const mark = isMessage ? '\r\n.\r\n' : '\r\n';
        const end = text.indexOf(mark);
        if (end < 0) return;
        const line = text.slice(0, end);
        text = text.slice(end + mark.length);
        if (isMessage) {
          isMessage = false;
          if (this.#fault === 'silent') this.#held.push(take);
          else if (this.#fault === '451') say('451 4.3.0 try again later');
          else take();
        } else if (/^MAIL/i.test(line)) {
          recipients = [];
          say('250 2.1.0 ok');
        } else if (/^RCPT/i.test(line)) {
          recipients.push(/<([^>]*)>/.exec(line)?.[1] ?? '');
          say('250 2.1.5 ok');
        } else if (/^DATA/i.test(line)) {
          isMessage = true;
          say('354 go on');
        } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
        else say('250 ok');
      }
    });
    say('220 soak ESMTP');
  }
}
