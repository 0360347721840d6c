import { Agent, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from 'node:http';

/** A response with its whole body. */
export interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  rawHeaders: string[];
  body: Buffer;
}

export interface Sent {
  method?: string;
  /** The request target; sent as it is. */
  path: string;
  headers?: Record<string, string | string[]>;
  /** A string is sent with its length, a list in chunks. */
  body?: string | readonly (string | Buffer)[];
  agent?: Agent;
}

/** Sends a request and resolves to the response once its headers have arrived. Bytes of the target and of names are not changed. */
export function open(url: string, { method = 'GET', path, headers = {}, body, agent }: Sent): Promise<IncomingMessage> {
  const { hostname, port } = new URL(url);
  const length = typeof body === 'string' ? { 'Content-Length': String(Buffer.byteLength(body)) } : {};
  const options: RequestOptions = {
    hostname,
    port,
    method,
    path,
    headers: { ...length, ...headers },
    agent: agent ?? false,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(options, resolve);
    // A server may answer before it has read the body, and close the connection after it.
    outgoing.once('error', reject);
    if (Array.isArray(body)) for (const chunk of body) outgoing.write(chunk);
    outgoing.end(typeof body === 'string' ? body : undefined);
  });
}

/** Sends a request and reads the response to its end. @throws if the connection ends before it is complete */
export async function exchange(url: string, sent: Sent): Promise<Received> {
  const response = await open(url, sent);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { statusCode = 0, headers, rawHeaders } = response;
  return { status: statusCode, headers, rawHeaders, body: Buffer.concat(chunks) };
}

/** An agent that keeps one connection. */
export const oneConnection = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });
