import { describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const gateway = await testGateway();
const limited = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: 'on' } });
const { users } = await demoOf(gateway);
const authorization = `Bearer ${users.juniper.classic_token}`;
const query = '{ viewer { login } }';

describe('/graphql and /api/graphql', () => {
  const post = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    gateway.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization, ...headers },
      body: JSON.stringify({ query }),
    });

  test.each(['/graphql', '/api/graphql', '/api/graphql/'])('%s serves the graph', async path => {
    const { status, json } = await post(path);
    expect(status).toBe(200);
    expect(json.data).toEqual({ viewer: { login: 'juniper' } });
  });

  test.each(['/api/graphqls', '/api/graphql/deeper', '/api/v3/graphql', '/API/graphql'])('%s does not', async path => {
    expect((await post(path)).status).toBe(404);
  });

  test('errors before the handler have the shape of GraphQL, and requests the label graphql', async () => {
    const answer = await post('/api/graphql', { authorization: 'Bearer nonsense' });
    expect(answer.status).toBe(401);
    expect(answer.json.errors[0].extensions.code).toBe('BAD_CREDENTIAL');
    const { text } = await gateway.metrics();
    expect(text).toMatch(/api="graphql",method="POST",status="401"[^\n]* 1\n/);
  });

  test('subscriptions are upgraded at both', async () => {
    for (const path of ['/graphql', '/api/graphql']) {
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}`, 'graphql-transport-ws');
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      expect(socket.protocol).toBe('graphql-transport-ws');
      socket.terminate();
    }
  });

  test('both share their limits', async () => {
    const used: number[] = [];
    for (const path of ['/graphql', '/api/graphql', '/graphql']) {
      const { json } = await limited.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ query }),
      });
      used.push(json.extensions.cost.used);
    }
    expect(used).toEqual([1, 2, 3]);
  });
});
