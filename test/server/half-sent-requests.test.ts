import { afterEach, describe, expect, test } from '@jest/globals';
import { answersIn, BareConnection } from '../harness/bare-connection.ts';
import { testGateway } from '../harness/gateway.ts';
import { basic, call, demoOf } from '../harness/hosting.ts';

const gateway = await testGateway({ settings: { RATE_LIMIT_FACTOR: 'on' } });
const { users, oauth_app: app } = await demoOf(gateway);
const wren = `Bearer ${users.wren.classic_token}`;
const opened: BareConnection[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
  // The counters of the test have expired.
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_600_000);
});

/** Sends 110 requests without the end of their bodies. Returns the answers of the first ten that are answered. */
async function halfSend(target: string, authorization: string, body: string) {
  for (let at = 0; at < 110; at++) {
    const connection = await BareConnection.open(gateway.url);
    opened.push(connection);
    connection.send(
      `POST ${target} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n${body}`,
    );
  }
  const refused: BareConnection[] = [];
  while (refused.length < 10) {
    const others = opened.filter(one => !refused.includes(one));
    refused.push(await Promise.any(others.map(one => one.answer().then(() => one))));
  }
  return refused.map(({ received }) => answersIn(received)[0]);
}

describe.each([
  ['with a part of its body', 'Content-Length: 99\r\n\r\n{'],
  ['without any of its body', 'Content-Length: 99\r\n\r\n'],
  ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n'],
  ['with a part of a large body', 'Content-Length: 1000000\r\n\r\n{'],
])('a half-sent request %s takes one of the 100 places of its caller', (_what, body) => {
  test.each(['/graphql', '/api/graphql', '/graphql/hosting'])('of %s', async target => {
    const refused = await halfSend(target, wren, body);
    expect([...new Set(refused.map(one => one?.status))]).toEqual([429]);
    expect((await call(gateway, 'GET', '/user', wren)).status).toBe(403);
    expect((await call(gateway, 'POST', '/graphql', wren, { query: '{ __typename }' })).status).toBe(429);
  });
});

test('a half-sent REST request takes one of the 100 places of its caller', async () => {
  const { client_id: id, client_secret: secret } = app;
  const refused = await halfSend(`/applications/${id}/token`, basic(id, secret), 'Content-Length: 99\r\n\r\n{');
  expect([...new Set(refused.map(one => one?.status))]).toEqual([403]);
});
