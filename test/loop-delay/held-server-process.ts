import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Holds the event loop: by so many milliseconds of CPU time, by waiting for nothing, or in turns of 20 ms. */
export interface Hold {
  how: 'compute' | 'wait' | 'turns';
  holdMs: number;
}

const turnMs = 20;

function compute(cpuMs: number): void {
  const { user, system } = process.cpuUsage();
  for (let used = 0; used < cpuMs * 1_000; ) {
    const now = process.cpuUsage();
    used = now.user - user + now.system - system;
  }
}

async function hold({ how, holdMs }: Hold): Promise<void> {
  if (how === 'compute') compute(holdMs);
  else if (how === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, holdMs);
  else {
    for (let left = holdMs; left > 0; left -= turnMs) {
      compute(turnMs);
      await nextTurn();
    }
  }
  process.send?.('done');
}

const server = createServer((_request, response) => void response.end('up'));
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on('message', (order: Hold) => void hold(order));
process.on('disconnect', () => process.exit(0));
