import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { type DemoHosting, loadDemoHosting } from '../../seeds/hosting/demo-credentials.ts';
import { deriveKeys } from '../../src/auth/derived-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Answer, TestGateway } from './gateway.ts';
import { testSecret } from './secret.ts';

/** The demo data of the code hosting product, as in demo.json. */
export function demoOf({ database }: Pick<TestGateway, 'database'>): Promise<DemoHosting> {
  return loadDemoHosting(database, deriveKeys(readConfig({ SECRET_KEY: testSecret })));
}

/** Sends a request to the hosting API; `authorization` is the complete header. */
export function call(
  gateway: Pick<TestGateway, 'request'>,
  method: string,
  path: string,
  authorization?: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return gateway.request(path, {
    method,
    headers: {
      'user-agent': 'portico tests',
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(authorization === undefined ? {} : { authorization }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** `call` for one gateway, with a token instead of a complete header; `status` returns the status alone. */
export function callsWithTokens(gateway: Pick<TestGateway, 'request'>) {
  const ask = (method: string, path: string, token?: string, body?: unknown): Promise<Answer> =>
    call(gateway, method, path, token && `Bearer ${token}`, body);
  const status = async (...request: Parameters<typeof ask>): Promise<number> => (await ask(...request)).status;
  return { ask, status };
}

/** Sends a query or a mutation with a hosting credential. */
export async function graphql(
  gateway: Pick<TestGateway, 'request'>,
  query: string,
  token?: string,
  variables: Record<string, unknown> = {},
): Promise<Answer['json']> {
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return (await call(gateway, 'POST', '/graphql', authorization, { query, variables })).json;
}

/** Global id of a repository by `owner/name`, or of an account by its login; of one that does not exist if there is none. */
export async function globalIdOf({ database }: Pick<TestGateway, 'database'>, path: string): Promise<string> {
  const [login = '', name] = path.split('/');
  const [found] = await database.read(
    name === undefined
      ? sql<{
          type: string;
          id: number;
        }>`select initcap(kind) as type, id from account where lower(login) = lower(${login})`
      : sql<{ type: string; id: number }>`select 'Repository' as type, r.id from repository r
          join account o on o.id = r.owner_id where o.login = ${login} and r.name = ${name}`,
  );
  return encodeGlobalId(found?.type ?? (name === undefined ? 'User' : 'Repository'), found?.id ?? 987_654_321);
}

/** Accepts every invitation to a repository that the user of this token has. */
export async function acceptInvitations(gateway: Pick<TestGateway, 'request'>, token: string): Promise<void> {
  const { ask } = callsWithTokens(gateway);
  const { json } = await ask('GET', '/user/repository_invitations', token);
  for (const { id } of json as { id: number }[]) await ask('PATCH', `/user/repository_invitations/${id}`, token);
}

/** HTTP Basic credentials of an app: client id and secret. */
export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** A JWT signed by the demo app, with claims that a test may replace. Times are seconds from the gateway's clock. */
export async function appJwt(
  { clock }: Pick<TestGateway, 'clock'>,
  demo: DemoHosting,
  {
    claims = {},
    header = {},
    iat = -30,
    exp = 300,
  }: { claims?: object; header?: object; iat?: number; exp?: number } = {},
): Promise<string> {
  const now = Math.floor(clock.now.getTime() / 1000);
  return new SignJWT({ iat: now + iat, exp: now + exp, iss: String(demo.app.id), ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...header })
    .sign(createPrivateKey(demo.app.private_key));
}
