import { createServer, type RequestOptions, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttacksWorld } from './attacks-world.ts';
import type { Server } from './server.ts';

/** IP addresses of victims, each below the limit of an anonymous caller. */
const addresses = 20;
/** Timeout of a victim's request. */
const waitTimeoutMs = 10_000;

export interface Phase {
  /** Milliseconds, sorted. */
  latencies: number[];
  /** Responses of 5xx, and requests without one. */
  failed: number;
}

/** What victims do while others attack. */
interface Victim {
  about: string;
  /** Runs one phase. `phase`: a number of its own, of which the addresses of the victims are made. */
  run(server: Server, world: AttacksWorld, phase: number, seconds: number): Promise<Phase>;
}

/** Runs `one` at a fixed rate, so that a slow request does not delay the others. */
async function atRate(seconds: number, pauseMs: number, one: (index: number) => Promise<number>): Promise<Phase> {
  const latencies: number[] = [];
  let failed = 0;
  const running: Promise<void>[] = [];
  for (let index = 0; index < (seconds * 1000) / pauseMs; index++) {
    const from = performance.now();
    running.push(
      one(index).then(
        ms => void latencies.push(ms),
        () => {
          failed++;
          latencies.push(performance.now() - from);
        },
      ),
    );
    await new Promise(later => setTimeout(later, pauseMs));
  }
  await Promise.all(running);
  return { latencies: latencies.toSorted((a, b) => a - b), failed };
}

/** Sends a request and reads the response. Resolves with the milliseconds. @throws for another status than 200 */
function answered({ address }: Server, options: RequestOptions, body?: string): Promise<number> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const sent = request({ hostname, port, timeout: waitTimeoutMs, ...options });
    sent.once('response', response => {
      response.resume();
      response.once('close', () => {
        if (response.statusCode === 200 && response.complete) resolve(performance.now() - from);
        else reject(new Error(`A victim got ${response.statusCode}.`));
      });
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', reject);
    sent.end(body);
  });
}

const addressOf = (phase: number, index: number): string => `127.0.${phase}.${1 + (index % addresses)}`;

/** Readers of articles, 20 per second. */
export const readers: Victim = {
  about: 'reads an article every 50 ms',
  run: (server, _world, phase, seconds) =>
    atRate(seconds, 50, index =>
      answered(server, {
        path: `/api/v1/articles/${1 + (index % 50)}/`,
        localAddress: addressOf(phase, index),
        headers: { 'user-agent': 'victim' },
      }),
    ),
};

const pkt = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** The body of a fetch of everything that a commit reaches. */
export const fetchOf = (head: string): string =>
  `${pkt('command=fetch')}0001${pkt(`want ${head}\n`)}${pkt('done\n')}0000`;

/** Callers without a credential who clone a small repository. */
export const cloners: Victim = {
  about: 'clones a small repository every 300 ms',
  run: (server, { ruled, heads }, phase, seconds) =>
    atRate(seconds, 300, index =>
      answered(
        server,
        {
          method: 'POST',
          path: `/${ruled}.git/git-upload-pack`,
          localAddress: addressOf(phase, index),
          headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' },
        },
        fetchOf(heads.ruled),
      ),
    ),
};

/** A receiver of webhooks: it answers the path `/victim` at once, `/drip` byte by byte, and others never. */
export async function openReceiver(): Promise<{ url: string; arrived(nth: number): Promise<void>; close(): void }> {
  let arrivals = 0;
  let waiting: { nth: number; resolve(): void }[] = [];
  const server = createServer((received, response) => {
    received.resume();
    if (received.url?.startsWith('/drip')) {
      const drip = setInterval(() => response.write('.'), 100);
      response.once('close', () => clearInterval(drip));
    }
    if (received.url !== '/victim') return;
    response.end();
    arrivals++;
    for (const { nth, resolve } of waiting) if (nth <= arrivals) resolve();
    waiting = waiting.filter(({ nth }) => nth > arrivals);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: nth => (nth <= arrivals ? Promise.resolve() : new Promise(resolve => waiting.push({ nth, resolve }))),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Owners of a webhook, whose events are stars. The time is that from the request to the delivery. */
export function hookOwners({ arrived }: Pick<Awaited<ReturnType<typeof openReceiver>>, 'arrived'>): Victim {
  let events = 0;
  return {
    about: 'gets a webhook every 500 ms',
    run: (server, { victim }, phase, seconds) =>
      atRate(seconds, 500, async index => {
        const nth = ++events;
        const from = performance.now();
        const { hostname, port } = new URL(server.address);
        const sent = request({
          hostname,
          port,
          method: index % 2 === 0 ? 'PUT' : 'DELETE',
          path: `/user/starred/${victim.repository}`,
          localAddress: addressOf(phase, index),
          headers: { 'user-agent': 'victim', authorization: `Bearer ${victim.token}`, 'content-length': 0 },
        });
        sent.once('response', response => response.resume()).once('error', () => {});
        sent.end();
        const late = new Promise<never>((_, reject) => setTimeout(reject, waitTimeoutMs, new Error('late')));
        await Promise.race([arrived(nth), late]);
        return performance.now() - from;
      }),
  };
}
