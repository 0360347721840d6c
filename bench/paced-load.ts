import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';

/** Of all servers together. */
const connections = 16;

export interface Sending {
  request: autocannon.Request;
  amount: number;
  /** Requests per second of all together; as many as the gateways answer when absent. */
  rate?: number;
}

/** Sends the requests to these gateways, the same number to each. @throws for an answer that is not 2xx */
export async function send(urls: readonly string[], { request, amount, rate }: Sending): Promise<void> {
  const bad = await (rate === undefined ? sendFast(urls, request, amount) : sendPaced(urls, request, amount, rate));
  if (bad > 0) throw new Error(`${bad} of ${amount} requests for ${request.path} failed.`);
}

/** Returns the number of answers that are not 2xx, as do all below. */
async function sendFast(urls: readonly string[], request: autocannon.Request, amount: number): Promise<number> {
  const each = { requests: [request], connections: connections / urls.length, amount: amount / urls.length };
  const results = await Promise.all(urls.map(url => autocannon({ url, ...each })));
  return results.reduce((sum, { non2xx, errors, timeouts }) => sum + non2xx + errors + timeouts, 0);
}

/** One request after the other at even distances, which autocannon does not: it sends those of a second at once. */
async function sendPaced(
  urls: readonly string[],
  request: autocannon.Request,
  amount: number,
  rate: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const begin = performance.now();
  const statuses: Promise<number>[] = [];
  for (let at = 0; at < amount; at++) {
    const early = begin + (1_000 * at) / rate - performance.now();
    if (early > 0) await delay(early);
    statuses.push(statusOf(urls[at % urls.length] ?? '', request, agent));
  }
  const bad = (await Promise.all(statuses)).filter(status => status < 200 || status > 299).length;
  agent.destroy();
  return bad;
}

async function statusOf(
  url: string,
  { path = '', method = 'GET', headers = {}, body }: autocannon.Request,
  agent: Agent,
) {
  const sent = httpRequest(`${url}${path}`, { agent, method, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}
