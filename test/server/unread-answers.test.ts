import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import express from 'express';
import { RequestEnd } from '../../src/context/request-end.ts';
import { attachRequestState, requestStateOf } from '../../src/server/request-state.ts';
import { limitUnreadAnswers } from '../../src/server/unread-answers.ts';

/** More than the buffers of the kernel take, so that it waits for its reader. */
const large = 'x'.repeat(40 * 1024 * 1024);

let made = 0;
const app = express();
app.use((request, _response, next) => {
  attachRequestState(request, 'test', new RequestEnd());
  next();
});
app.use(
  limitUnreadAnswers(1024 * 1024, (_error, _request, response) => {
    response.status(429).end();
  }),
);
app.post('/write', (request, response, next) => {
  const { deadline, beginLarge } = requestStateOf(request);
  if (request.query.commits === 'yes') deadline.beginCommit();
  beginLarge?.(large.length).then(() => {
    made++;
    response.end(request.query.answer === 'short' ? 'done' : large);
  }, next);
});
app.use(((_error, _request, response, _next) => {
  response.status(429).end();
}) satisfies express.ErrorRequestHandler);

const server = await new Promise<Server>(listening => {
  const opened = app.listen(0, '127.0.0.1', () => listening(opened));
});
const { port } = server.address() as AddressInfo;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const write = (query: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/write?${query}`, { method: 'POST' });

test('a large answer is refused before it is made while another one waits, but for a write that may be committed', async () => {
  // Its body is not read.
  const unread = await write('commits=no');
  expect([unread.status, made]).toEqual([200, 1]);

  expect((await write('commits=no&answer=short')).status).toBe(429);
  expect(made).toBe(1);

  const written = await write('commits=yes&answer=short');
  expect([written.status, await written.text()]).toEqual([200, 'done']);
  expect(made).toBe(2);
  await unread.body?.cancel();
});
