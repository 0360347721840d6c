import type { IncomingMessage } from 'node:http';
import { isLoopback, isLoopbackAddress, parseHostName } from '../config/host-name.ts';

/** Whether a request was sent on this machine, to it, and through no proxy. */
export function isFromThisMachine({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean {
  const isProxied = 'x-forwarded-for' in headers || 'forwarded' in headers || 'via' in headers;
  // The host as well: a foreign page can make its own name lead to this machine.
  const host = parseHostName(headers.host ?? '')?.name ?? '';
  return !isProxied && isLoopbackAddress(socket.remoteAddress ?? '') && isLoopback(host);
}
