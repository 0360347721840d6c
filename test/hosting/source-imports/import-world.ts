import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { insertCredential } from '../../../src/hosting/credentials/insert-credential.ts';
import { type Answer, type TestGateway, type TestGatewayOptions, testGateway } from '../../harness/gateway.ts';
import { call } from '../../harness/hosting.ts';

/** An account with a classic token, and repositories to import into. */
export interface ImportWorld {
  gateway: TestGateway;
  token: string;
  accountId: number;
  /** A new empty repository of the account: `ada/target-1`. */
  target(): Promise<{ id: number; path: string }>;
  /** A request to the import of a repository; `suffix` such as `/authors`. */
  ask(method: string, path: string, suffix?: string, body?: unknown): Promise<Answer>;
  /** Polls the status until `until` is true. */
  wait(path: string, until: (status: Answer['json']) => boolean, timeoutMs?: number): Promise<Answer['json']>;
  /** Polls until the import is no longer working. */
  settled(path: string, timeoutMs?: number): Promise<Answer['json']>;
}

const working = ['detecting', 'importing', 'mapping', 'pushing'];

export async function importWorld({ settings, ...options }: TestGatewayOptions = {}): Promise<ImportWorld> {
  const gateway = await testGateway({
    data: 'empty',
    workers: true,
    ...options,
    settings: { SOURCE_IMPORTS: 'on', OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', DATABASE_POOL: '10', ...settings },
  });
  const { accountId, token } = await inTransaction(gateway.database, async db => {
    const { rows } = await sql<{ id: number }>`insert into account (kind, login, created_at, updated_at)
      values ('user', ${`ada-${Math.random().toString(36).slice(2, 8)}`}, now(), now()) returning id`.execute(db);
    const id = Number(rows[0]?.id);
    const made = await insertCredential(db, { kind: 'classic', accountId: id, scopes: ['repo'] }, gateway.clock.now);
    return { accountId: id, token: `Bearer ${made.token}` };
  });
  const [{ login = '' } = {}] = await gateway.database.read<{ login: string }>(
    sql`select login from account where id = ${accountId}`,
  );
  let last = 0;
  const ask: ImportWorld['ask'] = (method, path, suffix = '', body) =>
    call(gateway, method, `/repos/${path}/import${suffix}`, token, body);
  const wait: ImportWorld['wait'] = async (path, until, timeoutMs = 20_000) => {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const { json } = await ask('GET', path);
      if (until(json)) return json;
      if (Date.now() > end) throw new Error(`Nothing for ${timeoutMs} ms: ${JSON.stringify(json)}`);
      await new Promise(resolve => setTimeout(resolve, 25));
    }
  };
  return {
    gateway,
    token,
    accountId,
    async target() {
      const name = `target-${++last}`;
      const [row] = await gateway.database.read<{
        id: number;
      }>(sql`insert into repository (owner_id, name, created_at, updated_at)
        values (${accountId}, ${name}, now(), now()) returning id`);
      return { id: Number(row?.id), path: `${login}/${name}` };
    },
    ask,
    wait,
    settled: (path, timeoutMs) => wait(path, ({ status }) => !working.includes(status), timeoutMs),
  };
}
