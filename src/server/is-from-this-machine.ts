import type { IncomingMessage } from 'node:http';

/** Whether a request was sent on this machine, to it, and through no proxy. */
export function isFromThisMachine({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean {
  const isProxied = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
  // The host as well: a foreign page can make its own name lead to this machine.
  return !isProxied && isLoopback(socket.remoteAddress) && isLoopbackHost(headers.host);
}

const isLoopback = (address: string | undefined): boolean => /^(::ffff:)?127\.|^::1$/.test(address ?? '');
const isLoopbackHost = (host: string | undefined): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host ?? '');
