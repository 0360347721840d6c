import { type Kysely, sql } from 'kysely';
import { storedHash } from '../../auth/hosting-token.ts';

/** An OAuth app whose client id and secret are built into a program that others publish. The secret is public. */
interface WellKnownClient {
  name: string;
  clientId: string;
  secret: string;
  url: string;
  callbackUrl: string;
}

/** Programs that sign in with ids of their own, by the name that an operator gives. */
export const wellKnownClients: ReadonlyMap<string, WellKnownClient> = new Map([
  [
    'gh',
    {
      name: 'GitHub CLI',
      clientId: '178c6fc778ccc68e1d6a',
      secret: '34ddeff2b558a23d38fba8a6de74f086ede1cc0b',
      url: 'https://cli.github.com',
      callbackUrl: 'http://127.0.0.1/callback',
    },
  ],
  [
    'git-credential-manager',
    {
      name: 'Git Credential Manager',
      clientId: '0120e057bd645470c1ed',
      secret: '18867509d956965542b521a529a79bb883344c90',
      url: 'https://github.com/git-ecosystem/git-credential-manager',
      callbackUrl: 'http://localhost/',
    },
  ],
]);

/** Registers such a program as an OAuth app of an account, once. Returns whether it was not registered before. */
export async function registerWellKnownClient(
  db: Kysely<unknown>,
  { name, clientId, secret, url, callbackUrl }: WellKnownClient,
  ownerId: number,
  now: Date,
): Promise<boolean> {
  const made =
    await sql`insert into oauth_app (owner_id, name, client_id, client_secret_hash, url, callback_url, created_at)
    values (${ownerId}, ${name}, ${clientId}, ${storedHash(secret)}, ${url}, ${callbackUrl}, ${now})
    on conflict (client_id) do nothing returning id`.execute(db);
  return made.rows.length > 0;
}
