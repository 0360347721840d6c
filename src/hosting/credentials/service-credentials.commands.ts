import { sql } from 'kysely';
import { isDay } from '../../../schema/vocabulary/scalars.ts';
import { CommandError, type HostingCommandContext } from '../accounts/accounts.commands.ts';
import { insertCredential } from './insert-credential.ts';
import { revokeWhere } from './revoke-token.ts';

/** Characters of a name. */
const maxNameLength = 200;

/**
 * Creates a service credential and prints it once, to standard output only, so that it can be piped into a secret store.
 *
 * @param expires time with a time zone, such as 2027-01-01T00:00:00Z; never when absent
 */
export async function createServiceCredentialCommand(
  { name, expires }: { name: string; expires?: string | undefined },
  { db, now, write }: HostingCommandContext,
): Promise<void> {
  const note = name.trim();
  if (note === '' || note.length > maxNameLength || /\p{Cc}/u.test(note)) {
    throw new CommandError(`The name must have 1 to ${maxNameLength} characters, without control characters.`);
  }
  const expiresAt = expires === undefined ? null : parseExpiry(expires, now);
  const { token } = await insertCredential(db, { kind: 'service', note, expiresAt }, now);
  write(token);
}

function parseExpiry(text: string, now: Date): Date {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/.test(text)
    ? new Date(text)
    : undefined;
  if (!at || Number.isNaN(at.getTime()) || !isDay(text.slice(0, 10))) {
    throw new CommandError(`--expires must be a time such as 2027-01-01T00:00:00Z, not "${text}".`);
  }
  if (at <= now) throw new CommandError(`--expires must be later than now, not "${text}".`);
  return at;
}

/** Lists every service credential that is kept: number, name, end of the secret, creation, expiry, last use. */
export async function listServiceCredentialsCommand({ db, now, write }: HostingCommandContext): Promise<void> {
  const { rows } = await sql<{
    id: number;
    note: string;
    lastEight: string;
    createdAt: string;
    expiresAt: string | null;
    revokedAt: string | null;
    usedAt: string | null;
  }>`
    select c.id, c.note, c.last_eight as "lastEight", c.created_at as "createdAt", c.expires_at as "expiresAt",
      c.revoked_at as "revokedAt", u.used_at as "usedAt"
    from host_credential c left join token_use u on u.credential_id = c.id
    where c.kind = 'service' order by c.id`.execute(db);
  if (rows.length === 0) write('There are no service credentials.');
  for (const { id, note, lastEight, createdAt, expiresAt, revokedAt, usedAt } of rows) {
    const state =
      revokedAt !== null
        ? `revoked ${minuteOf(revokedAt)}`
        : expiresAt === null
          ? 'never expires'
          : `${new Date(expiresAt) <= now ? 'expired' : 'expires'} ${minuteOf(expiresAt)}`;
    const use = usedAt === null ? 'never used' : `last used ${minuteOf(usedAt)}`;
    write(`${id}  ${note}  …${lastEight}  created ${minuteOf(createdAt)}  ${state}  ${use}`);
  }
}

const minuteOf = (at: string): string => `${new Date(at).toISOString().slice(0, 16)}Z`;

/** Revokes a service credential, from the next request on. @throws CommandError if there is none that is valid */
export async function revokeServiceCredentialCommand(
  text: string,
  { db, now, write }: HostingCommandContext,
): Promise<void> {
  const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
  const count = await revokeWhere(db, sql`id = ${id} and kind = 'service'`, now);
  if (count === 0) {
    throw new CommandError(
      `There is no service credential ${text} to revoke. service-credentials list has their numbers.`,
    );
  }
  write(`Revoked the service credential ${id}.`);
}
