import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What the server does instead of its usual answer: sends a reply, closes the connection, or answers after some milliseconds. */
type Fault = string | 'cut' | number | undefined;

export interface Faults {
  greeting?: Fault;
  sender?: Fault;
  recipient?: Fault;
  /** To the command DATA. */
  data?: Fault;
  /** To the end of the message. */
  message?: Fault;
}

export interface FaultySmtpServer {
  url: string;
  /** Message-ID → how many copies the server has taken: answered with 250, or received as a whole when the connection was cut. */
  taken: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** An SMTP server that plays these faults in their order, one at each attempt to send a mail, and then none. */
export async function openFaultySmtpServer(faults: readonly Faults[]): Promise<FaultySmtpServer> {
  const taken = new Map<string, number>();
  const sockets = new Set<Socket>();
  let attempts = 0;
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    let plan = faults[attempts++] ?? {};
    let hasTried = false;
    const answer = (fault: Fault, reply: string): void => {
      if (fault === 'cut') socket.destroy();
      else if (typeof fault === 'number') setTimeout(() => socket.write(`${reply}\r\n`), fault);
      else socket.write(`${fault ?? reply}\r\n`);
    };
    let text = '';
    let isMessage = false;
    socket.on('data', chunk => {
      text += chunk.toString('latin1');
      for (;;) {
        const end = text.indexOf(isMessage ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + (isMessage ? 5 : 2));
        if (isMessage) {
          isMessage = false;
          const id = /^Message-ID: (.*)$/im.exec(part)?.[1] ?? '';
          if (typeof plan.message !== 'string' || plan.message === 'cut') taken.set(id, (taken.get(id) ?? 0) + 1);
          answer(plan.message, '250 2.0.0 taken');
        } else if (/^(EHLO|HELO)/i.test(part)) socket.write('250 faulty\r\n');
        else if (/^MAIL/i.test(part)) {
          // Another attempt on the same connection.
          if (hasTried) plan = faults[attempts++] ?? {};
          hasTried = true;
          answer(plan.sender, '250 2.1.0 ok');
        } else if (/^RCPT/i.test(part)) answer(plan.recipient, '250 2.1.5 ok');
        else if (/^DATA/i.test(part)) {
          isMessage = plan.data === undefined || typeof plan.data === 'number';
          answer(plan.data, '354 go on');
        } else if (/^QUIT/i.test(part)) socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
    answer(plan.greeting, '220 faulty ESMTP');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}
