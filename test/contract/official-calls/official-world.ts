import { sql } from 'kysely';
import type { DemoHosting } from '../../../seeds/hosting/demo-credentials.ts';
import type { Answer, TestGateway } from '../../harness/gateway.ts';
import { appJwt, basic, call, demoOf, graphql } from '../../harness/hosting.ts';

/** A request that succeeds. */
export interface OfficialCall {
  path: string;
  /** The complete header. */
  authorization?: string;
  body?: unknown;
  accept?: string;
}

/** By the name of the operation: makes what its request needs, and returns the requests whose answers are judged. */
export type OfficialCalls = Record<string, (world: OfficialWorld) => Promise<OfficialCall | OfficialCall[]>>;

/** The demo data, its callers, and things that a call may change. */
export interface OfficialWorld {
  gateway: TestGateway;
  demo: DemoHosting;
  /** Authorization of wren, who owns the organizations; classic token with every scope of the demo. */
  wren: string;
  juniper: string;
  /** Basic authorization of the OAuth app of the demo. */
  oauthApp: string;
  /** Authorization of the app of the demo by a JWT. */
  asApp(): Promise<string>;
  /** Sends a request that must succeed. */
  send(method: string, path: string, authorization?: string, body?: unknown): Promise<Answer>;
  graphql(query: string, variables?: Record<string, unknown>): Promise<Answer['json']>;
  /** Path below the API of a new repository of wren: `/repos/wren/official-1`. It has one file unless it is empty. */
  repository(options?: { isEmpty?: boolean }): Promise<string>;
  /** Number of the account with this login. */
  accountId(login: string): Promise<number>;
}

/** One call of wren. */
export const asWren =
  (path: string, body?: unknown): OfficialCalls[string] =>
  async ({ wren }) => ({ path, authorization: wren, body });

/** Adds a delivery of an app or a hook, as if a receiver had answered it. Returns its number. */
export async function addDelivery(
  { database }: Pick<TestGateway, 'database'>,
  { appId = null, hookId = null }: { appId?: number | null; hookId?: number | null },
): Promise<number> {
  const rows = await database.read<{ id: number }>(sql`
    insert into webhook_delivery (app_id, hook_id, guid, event, created_at, delivered_at, status, status_code, duration, url,
      request_headers, payload, response_headers, response_payload)
    values (${appId}, ${hookId}, gen_random_uuid(), 'push', now(), now(), 'OK', 200, 0.25, 'https://receiver.example/hooks',
      '{"X-Event": "push"}', '{"ref": "refs/heads/main"}', '{"Server": "receiver"}', 'ok') returning id`);
  return Number(rows[0]?.id);
}

let made = 0;

export async function officialWorld(gateway: TestGateway): Promise<OfficialWorld> {
  const demo = await demoOf(gateway);
  const wren = `Bearer ${demo.users.wren.classic_token}`;
  const send: OfficialWorld['send'] = async (method, path, authorization = wren, body) => {
    const answer = await call(gateway, method, path, authorization, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} is answered ${answer.status}: ${answer.text}`);
    return answer;
  };
  const ask: OfficialWorld['graphql'] = async (query, variables) => {
    const answer = await graphql(gateway, query, demo.users.wren.classic_token, variables);
    if (answer.errors) throw new Error(JSON.stringify(answer.errors));
    return answer.data;
  };
  return {
    gateway,
    demo,
    wren,
    juniper: `Bearer ${demo.users.juniper.classic_token}`,
    oauthApp: basic(demo.oauth_app.client_id, demo.oauth_app.client_secret),
    asApp: async () => `Bearer ${await appJwt(gateway, demo)}`,
    send,
    graphql: ask,
    async repository({ isEmpty = false } = {}) {
      const name = `official-${++made}`;
      const document = `mutation($name: String!) { createRepository(input: { name: $name, visibility: PUBLIC }) {
        repository { id } } }`;
      await ask(document, { name });
      if (isEmpty) return `/repos/wren/${name}`;
      const content = Buffer.from('# Official\n').toString('base64');
      await send('PUT', `/repos/wren/${name}/contents/README.md`, wren, { message: 'First', content });
      return `/repos/wren/${name}`;
    },
    async accountId(login) {
      const rows = await gateway.database.read<{ id: number }>(sql`select id from account where login = ${login}`);
      return Number(rows[0]?.id);
    },
  };
}
