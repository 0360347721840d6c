import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
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
