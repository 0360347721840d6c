import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { testGateway } from '../harness/gateway.ts';
import { registration, send } from '../harness/people.ts';

// Jobs wait: nothing works on them.
const gateway = await testGateway({ data: 'empty' });

/** Values of a metric by their labels, such as `{api="rest-health"}`. */
async function values(name: string): Promise<Record<string, number>> {
  const { text } = await gateway.request('/metrics');
  const lines = text.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map(line => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('requests are counted by operation and status, and others by API alone', async () => {
  await gateway.request('/api/v1/articles/');
  await gateway.request('/api/v1/articles/?page=nothing');
  await gateway.request('/api/v1/articles/999999/');
  await gateway.request('/api/v1/no-such-path/');
  const counts = await values('portico_operation_requests_total');
  expect(counts['{api="rest-health",operation="ListArticles",status="200"}']).toBe(1);
  expect(counts['{api="rest-health",operation="ListArticles",status="404"}']).toBe(1);
  expect(counts['{api="rest-health",operation="GetArticle",status="404"}']).toBe(1);
  expect(Object.keys(counts)).toHaveLength(3);
  expect(
    (await values('portico_operation_seconds_total'))['{api="rest-health",operation="ListArticles"}'],
  ).toBeGreaterThan(0);
});

test('waiting jobs are counted by queue, with the age of the oldest', async () => {
  expect([await values('portico_jobs'), await values('portico_jobs_readable')]).toEqual([{}, { '': 1 }]);
  await send(gateway, 'POST', '/auth/register/', registration());
  const [wait] = Object.values(await values('portico_job_wait_seconds'));
  const jobs = await values('portico_jobs');
  const due = Object.entries(jobs).filter(([labels]) => labels.includes('state="due"'));
  expect(due).toEqual([[expect.stringMatching(/^\{queue="[\w-]*mail[\w-]*",state="due"\}$/), 1]]);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThan(600);
});

test('open sockets are counted', async () => {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  expect(await values('portico_websockets')).toEqual({ '{state="authenticated"}': 0, '{state="unidentified"}': 1 });
  socket.close();
  await once(socket, 'close');
});

test('without Redis nothing is said of shared limits', async () => {
  expect(await values('portico_limits_shared')).toEqual({});
});
