import { expect, test } from '@jest/globals';
import { testGateway } from '../harness/gateway.ts';

const gateway = await testGateway({ logLevel: 'warn', watchesEventLoop: true });
const start = gateway.clock.now;

/** Uses the main thread for some milliseconds of its CPU time. */
function holdEventLoop(ms: number): void {
  const began = process.threadCpuUsage();
  for (let used = 0; used < ms * 1000; ) {
    const { user, system } = process.threadCpuUsage(began);
    used = user + system;
  }
}

/** Lets the next reading of the clock, which each request makes, take as long as this. */
function slowDown(ms: number): void {
  let isNext = true;
  Object.defineProperty(gateway.clock, 'now', {
    configurable: true,
    get() {
      if (isNext) {
        isNext = false;
        holdEventLoop(ms);
      }
      return start;
    },
  });
}

interface Block {
  id?: string;
  api: string;
  operation: string;
  ms: number;
  cpu_ms: number;
  stack: string[];
}

const blocks = (): Block[] =>
  gateway.lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'the event loop was blocked');

/** The block of this request, as soon as it is logged. */
async function blockOf(id: string): Promise<Block> {
  for (;;) {
    const found = blocks().find(one => one.id === id);
    if (found) return found;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

async function countOf(labels: string): Promise<number> {
  const { text } = await gateway.metrics();
  const line = text.split('\n').find(one => one.startsWith(`portico_event_loop_blocks_total{${labels}}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

const graphql = (id: string) =>
  gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': id },
    body: JSON.stringify({ query: '{ articles(search: "a secret of mine", first: 1) { nodes { id } } }' }),
  });

const cases: [what: string, labels: { api: string; operation: string }, send: (id: string) => Promise<unknown>][] = [
  [
    'REST',
    { api: 'rest-health', operation: 'ListArticles' },
    id => gateway.request('/api/v1/articles/?search=a+secret+of+mine', { headers: { 'x-request-id': id } }),
  ],
  ['GraphQL', { api: 'graphql', operation: 'query' }, graphql],
];

test.each(cases)('an operation of %s that holds the event loop is logged and counted', async (_what, labels, send) => {
  const id = `slow-${labels.api}`;
  const series = `api="${labels.api}",operation="${labels.operation}"`;
  const before = await countOf(series);
  slowDown(400);
  await send(id);
  const block = await blockOf(id);
  expect(block).toMatchObject(labels);
  expect(block.ms).toBeGreaterThanOrEqual(100);
  expect(block.cpu_ms).toBeGreaterThanOrEqual(100);
  expect(block.stack.length).toBeGreaterThan(2);
  expect(block.stack.slice(0, 4).join('\n')).toContain('holdEventLoop');
  expect(JSON.stringify(block)).not.toContain('secret');
  expect(await countOf(series)).toBe(before + 1);
});

test('a fast operation is neither', async () => {
  slowDown(0);
  const ids = ['fast-1', 'fast-2', 'fast-3'];
  for (const id of ids) await graphql(id);
  // Blocks are reported in their order: the one of this request follows those of the others.
  slowDown(400);
  await graphql('slow-last');
  await blockOf('slow-last');
  expect(blocks().filter(({ id }) => ids.includes(id ?? ''))).toEqual([]);
});
