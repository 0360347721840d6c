import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { DecryptionError, decrypt, encrypt } from '../../auth/encryption.ts';
import type { Context } from '../../context/context.ts';
import { type ContentLocation, encodePath } from './content-location.ts';

/** Milliseconds for which the download URL of a private repository is valid. */
const grantLifetimeMs = 5 * 60_000;

export type ArchiveFormat = 'legacy.tar.gz' | 'legacy.zip';

type SealContext = Pick<Context, 'origin' | 'keys' | 'now'>;

/** The content of a download token for a private repository. Sealed, because it names objects of the repository. */
type Grant =
  | { for: 'raw'; id: string; repository: number; sha: string; until: number }
  | { for: 'archive'; repository: number; owner: string; name: string; ref: string; until: number };

const purpose = 'download';

/**
 * The download URL of a file. In a public repository it is the same for everybody; the ref is one path segment, so that
 * its slashes differ from those of the path. In a private repository it carries a token that grants one complete
 * download of one blob within five minutes, issued to a caller that may read it.
 */
export function rawUrl(
  context: SealContext,
  location: ContentLocation,
  { path, sha }: { path: string; sha: string },
): string {
  const { owner, name, ref, isPrivate, repositoryId } = location;
  const address = `${context.origin}/raw/${owner}/${name}/${encodeURIComponent(ref)}/${encodePath(path)}`;
  if (!isPrivate) return address;
  const until = context.now().getTime() + grantLifetimeMs;
  return `${address}?token=${sealGrant(context, { for: 'raw', id: randomUUID(), repository: repositoryId, sha, until })}`;
}

/**
 * The download URL of an archive. In a private repository it can be used repeatedly for five minutes: clients resume
 * downloads.
 */
export function archiveUrl(context: SealContext, location: ContentLocation, format: ArchiveFormat): string {
  const { owner, name, ref, isPrivate, repositoryId } = location;
  const address = `${context.origin}/codeload/${owner}/${name}/${format}/${encodePath(ref)}`;
  if (!isPrivate) return address;
  const until = context.now().getTime() + grantLifetimeMs;
  const grant = { for: 'archive', repository: repositoryId, owner, name, ref, until } as const;
  return `${address}?token=${sealGrant(context, grant)}`;
}

function sealGrant({ keys }: SealContext, grant: Grant): string {
  return encrypt(keys.encryption, JSON.stringify(grant), purpose);
}

/** The grant in a token; undefined when it is invalid, of another kind or expired. */
export function readGrant<Kind extends Grant['for']>(
  { keys, now }: Pick<Context, 'keys' | 'now'>,
  token: string,
  kind: Kind,
): Extract<Grant, { for: Kind }> | undefined {
  try {
    const grant = JSON.parse(decrypt(keys.encryption, token, purpose)) as Grant;
    if (grant.for !== kind || grant.until <= now().getTime()) return undefined;
    return grant as Extract<Grant, { for: Kind }>;
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}

/** A grant of one download. */
export type RawGrant = Extract<Grant, { for: 'raw' }>;

/** Whether a token was used, or is used by a download of the whole file that goes on. */
export async function isGrantUsed({ read }: Pick<Context, 'read'>, { id }: RawGrant): Promise<boolean> {
  return (await read(sql`select from used_download where id = ${id}`)).length > 0;
}

/** Makes a token usable again after a download that did not end. */
export async function releaseGrant(context: Pick<Context, 'transaction'>, { id }: RawGrant): Promise<void> {
  await context.transaction(db => sql`delete from used_download where id = ${id}`.execute(db));
}

/** Marks a token as used. False when it was already used: the primary key decides between concurrent requests. */
export async function consumeGrant(context: Pick<Context, 'transaction'>, { id, until }: RawGrant): Promise<boolean> {
  return context.transaction(async db => {
    const { rows } = await sql`insert into used_download (id, expires_at)
      values (${id}, ${new Date(until).toISOString()}) on conflict do nothing returning id`.execute(db);
    return rows.length > 0;
  });
}
