import { type Kysely, sql } from 'kysely';
import { Plan } from '../../../schema/hosting/account.ts';
import { mintToken } from '../../auth/hosting-token.ts';
import { tokenScopeNames } from '../../auth/token-scopes.ts';
import { registerWellKnownClient, wellKnownClients } from '../apps/well-known-clients.ts';
import { insertCredential } from '../credentials/insert-credential.ts';
import { createUser, type NewUser } from './create-user.ts';
import { loginKey } from './login.ts';

/** Context of a command. `db` is one transaction. */
export interface HostingCommandContext {
  db: Kysely<unknown>;
  now: Date;
  write(line: string): void;
}

/** An error that the operator can correct; only its message is shown. */
export class CommandError extends Error {}

/** Creates a user. The first administrator can only be created this way. */
export async function createUserCommand(user: NewUser, { db, now, write }: HostingCommandContext): Promise<void> {
  try {
    const id = await createUser(db, user, now);
    write(`Made the user ${user.login}, number ${id}.`);
  } catch (error) {
    throw new CommandError(inputErrorMessage(error));
  }
}

/** Creates a classic token and prints it once, to standard output only, so that it can be piped into a secret store. */
export async function createTokenCommand(
  { login, scopes, note, sso }: { login: string; scopes: readonly string[]; note: string; sso: readonly string[] },
  { db, now, write }: HostingCommandContext,
): Promise<void> {
  const unknown = scopes.filter(one => !tokenScopeNames.includes(one));
  if (unknown.length > 0) {
    throw new CommandError(`There is no scope ${unknown.join(', ')}. There are ${tokenScopeNames.join(', ')}.`);
  }
  const accountId = await requireAccountId(db, login, 'user');
  const minted = mintToken('classic');
  const { credential } = await insertCredential(db, { kind: 'classic', accountId, note, scopes }, now, minted);
  for (const organization of sso) {
    await sql`insert into sso_authorization (credential_id, organization_id, authorized_at)
      values (${credential.databaseId}, ${await requireAccountId(db, organization, 'organization')}, ${now})`.execute(
      db,
    );
  }
  write(minted.text);
}

/** Registers a program that signs in with a client id of its own, such as `gh auth login --web`. */
export async function registerClientCommand(
  { name, owner }: { name: string; owner: string },
  { db, now, write }: HostingCommandContext,
): Promise<void> {
  const client = wellKnownClients.get(name);
  if (!client)
    throw new CommandError(`There is no client ${name}. There are ${[...wellKnownClients.keys()].join(', ')}.`);
  const isNew = await registerWellKnownClient(db, client, await requireAccountId(db, owner), now);
  write(isNew ? `${client.name} may sign users in. ${owner} owns it.` : `${client.name} is registered already.`);
}

/** Sets the plan of an account, which determines its rate limits. */
export async function setPlanCommand(
  { login, plan }: { login: string; plan: string },
  { db, now, write }: HostingCommandContext,
): Promise<void> {
  const plans: readonly string[] = Object.values(Plan);
  if (!plans.includes(plan)) throw new CommandError(`There is no plan ${plan}. There are ${plans.join(', ')}.`);
  const id = await requireAccountId(db, login);
  await sql`update account set plan = ${plan}, updated_at = ${now} where id = ${id}`.execute(db);
  write(`${login} is on the plan ${plan}. Limits follow within a minute.`);
}

/**
 * Returns the id of an account.
 *
 * @throws CommandError when there is none.
 */
export async function requireAccountId(
  db: Kysely<unknown>,
  login: string,
  kind?: 'user' | 'organization',
): Promise<number> {
  const found = await sql<{ id: number }>`
    select id from account where lower(login) = ${loginKey(login) ?? ''} and kind = coalesce(${kind ?? null}, kind)
      and kind <> 'bot'`.execute(db);
  const [row] = found.rows;
  if (!row) throw new CommandError(`There is no ${kind ?? 'account'} ${login}.`);
  return row.id;
}

interface GraphErrorLike {
  message: string;
  extensions?: { errors?: { field?: string; code: string; message?: string }[] };
}

/** Formats a validation error for the terminal. Rethrows other errors. */
export function inputErrorMessage(error: unknown): string {
  const { message, extensions } = error as GraphErrorLike;
  if (!extensions?.errors) throw error;
  return (
    extensions.errors.map(one => one.message ?? `${one.field}: ${one.code.replaceAll('_', ' ')}`).join(' ') || message
  );
}
