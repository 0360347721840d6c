import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { notFound, type ValidationEntry, validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { type RepositoryAddress, repositoryFor } from '../repositories/repositories.queries.ts';
import { maxTextLength, textProblems } from '../text-problems.ts';
import { readSshKey, type SshKeyProblem } from './read-ssh-key.ts';
import { belongsToOwner, type SshKeyOwner } from './ssh-keys.queries.ts';

export interface NewSshKey {
  title?: string | null | undefined;
  key: string;
  isReadOnly?: boolean | null | undefined;
}

const messages: Record<SshKeyProblem, string> = {
  invalid: 'key is invalid. You must supply a key in OpenSSH public key format',
  private: 'key is a private key. Never give it away; send the public one',
  unsupported: 'key is of a type that is not supported. Use Ed25519, ECDSA or RSA',
  weak: 'key is too short. RSA keys have at least 2048 bits',
};

const keyProblem = (message: string): ValidationEntry => ({
  resource: 'PublicKey',
  field: 'key',
  code: 'custom',
  message,
});

/** The calling user as the owner of keys. */
export const ownKeys = ({ actor }: Pick<Context, 'actor'>): SshKeyOwner => ({
  kind: 'account',
  id: callingUser(actor).accountId,
});

/** @throws 404 and 403 as the repository's administration */
export async function deployKeysOf(
  context: Context,
  address: RepositoryAddress,
  scope: 'administration:read' | 'administration:write',
): Promise<SshKeyOwner> {
  const found = await repositoryFor(context, address, scope);
  if (!found) throw notFound();
  return { kind: 'repository', id: found.databaseId };
}

/**
 * Stores a key and returns its number.
 *
 * @throws 422 for an invalid key, and for one that any account or repository has
 */
export async function addSshKey(
  context: Pick<Context, 'actor' | 'transaction' | 'now'>,
  owner: SshKeyOwner,
  { title, key, isReadOnly }: NewSshKey,
): Promise<number> {
  const read = readSshKey(key);
  if (typeof read === 'string') throw validationFailed([keyProblem(messages[read])]);
  const problems = textProblems('PublicKey', { title: [title ?? '', maxTextLength.line] });
  if (problems.length > 0) throw validationFailed(problems);
  const addedById = context.actor.kind === 'user' ? context.actor.accountId : null;
  // As published: the comment is the title of a key without one.
  const name =
    title?.trim() ||
    key
      .trim()
      .split(/[ \t]+/)
      .slice(2)
      .join(' ')
      .slice(0, maxTextLength.line) ||
    'Key';
  try {
    return await context.transaction(async db => {
      const { rows } = await sql<{ id: number }>`
        insert into ssh_key (account_id, repository_id, added_by_id, title, key, fingerprint, is_read_only, created_at)
        values (${owner.kind === 'account' ? owner.id : null}, ${owner.kind === 'repository' ? owner.id : null}, ${addedById}, ${name}, ${read.text}, ${read.fingerprint},
          ${isReadOnly ?? false}, ${context.now()}) returning id`.execute(db);
      return rows[0]?.id ?? 0;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'ssh_key_fingerprint')) throw error;
    throw validationFailed([keyProblem('key is already in use')]);
  }
}

/** @throws 404 when the owner has no such key */
export async function removeSshKey(
  context: Pick<Context, 'transaction'>,
  owner: SshKeyOwner,
  id: number,
): Promise<void> {
  await context.transaction(async db => {
    const { rows } =
      await sql`delete from ssh_key k where k.id = ${id} and ${belongsToOwner(owner)} returning 1`.execute(db);
    if (rows.length === 0) throw notFound();
  });
}
