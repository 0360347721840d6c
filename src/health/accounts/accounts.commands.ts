import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import { type Database, databaseForJobs } from '../../db/database.ts';
import { readOf, recordOperatorRead } from '../data-accesses/record-data-accesses.ts';
import { exportAccount } from './export-account.ts';

/** Context of an export. */
export interface ExportContext {
  config: Config;
  database: Database;
  now: Date;
  /** Origin of links to pictures. */
  origin: string;
  write(line: string): void;
}

/**
 * Writes a person into an existing empty folder: what `GET /api/v1/auth/me/export/` gives, and the pictures. Returns false when there is
 * no such account.
 */
export async function exportPersonCommand(
  email: string,
  folder: string,
  { config, database: given, now, origin, write }: ExportContext,
): Promise<boolean> {
  const { read, sql: db } = databaseForJobs(given);
  const [person] = await read<{ id: number; isGuest: boolean }>(
    sql`select id, is_guest as "isGuest" from users where lower(email) = lower(${email}) and deleted_at is null`,
  );
  if (!person) return false;
  const actor = { kind: 'person' as const, ip: '', userId: person.id, sessionId: '', isGuest: person.isGuest };
  await recordOperatorRead(db, now, readOf('export', [person.id]));
  const data = await exportAccount({ actor, config, read, sql: db, origin, now: () => now });
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  for (const [name, value] of Object.entries(data)) {
    if (name === 'generatedAt') continue;
    await writeFile(join(folder, `${kebabCase(name)}.json`), json(value), { mode: 0o600 });
  }
  const pictures = await read<{ id: string; type: string; content: Buffer }>(
    sql`select id, media_type as type, content from media where user_id = ${person.id} order by created_at`,
  );
  if (pictures.length > 0) await mkdir(join(folder, 'pictures'), { mode: 0o700 });
  for (const { id, type, content } of pictures) {
    const extension = type.replace(/^image\//, '').replace(/[^a-z0-9]/g, '');
    await writeFile(join(folder, 'pictures', `${id}.${extension}`), content, { mode: 0o600 });
  }
  await writeFile(join(folder, 'README.md'), readme(now));
  write(`The account of ${email} is in ${folder}.`);
  return true;
}

const kebabCase = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

const readme = (now: Date): string => `# Everything that is stored about one person

Exported ${now.toISOString()}. \`profile.json\` is the profile; the other files are lists, one for each kind of record; \`pictures/\` has the
pictures. Times are in UTC. Passwords and tokens are stored as hashes only and are not exported.
`;

/**
 * Says when an account was deleted and when its data was erased: the proof of the erasure, by the number that the mail about the deletion and
 * the export name. Returns false when there is no account with the number, or it is not deleted.
 */
export async function erasureCommand(
  accountId: number,
  { db, write }: { db: Kysely<unknown>; write(line: string): void },
): Promise<boolean> {
  const { rows } = await sql<{ deletedAt: string; erasedAt: string | null }>`
    select ${isoTime('deleted_at')} as "deletedAt", ${isoTime('erased_at')} as "erasedAt"
    from users where id = ${accountId} and deleted_at is not null`.execute(db);
  const [account] = rows;
  if (!account) return false;
  write(`Account ${accountId} was deleted at ${account.deletedAt}.`);
  write(account.erasedAt === null ? 'Its data is not erased yet.' : `Its data was erased at ${account.erasedAt}.`);
  return true;
}

const isoTime = (column: string): RawBuilder<string | null> =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
