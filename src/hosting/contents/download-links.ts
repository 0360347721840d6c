import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { DecryptionError, decrypt, encrypt } from '../../auth/encryption.ts';
import type { Context } from '../../context/context.ts';
import { type ContentLocation, encodePath } from './content-location.ts';

/** Milliseconds for which the address of something private is good. */
const grantLifetimeMs = 5 * 60_000;

export type ArchiveFormat = 'legacy.tar.gz' | 'legacy.zip';

type SealContext = Pick<Context, 'origin' | 'keys' | 'now'>;

/** What an address of a private repository allows. Sealed, since it names objects of the repository. */
type Grant =
  | { for: 'raw'; id: string; repository: number; sha: string; until: number }
  | { for: 'archive'; repository: number; owner: string; name: string; ref: string; until: number };

const purpose = 'download';

/**
 * Where the bytes of a file are. Of a public repository that is the same for everybody, and the ref is one segment, so
 * that its slashes are told from those of the path. Of a private one the address says all by itself who may have what: one
 * blob, once, within five minutes. Whoever made it could read it then.
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

/** Where an archive is. Of a private repository it can be fetched again for five minutes: programs resume downloads. */
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

/** The grant in an address; undefined when it is none, of another kind, or too old. */
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

/** Uses an address up. False when somebody has done so before: of two at once the primary key lets one win. */
export async function consumeGrant(
  context: Pick<Context, 'transaction'>,
  { id, until }: Extract<Grant, { for: 'raw' }>,
): Promise<boolean> {
  return context.transaction(async db => {
    const { rows } = await sql`insert into used_download (id, expires_at)
      values (${id}, ${new Date(until).toISOString()}) on conflict do nothing returning id`.execute(db);
    return rows.length > 0;
  });
}
