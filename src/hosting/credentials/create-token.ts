import { sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { UserActor } from '../../auth/actor.ts';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import { permissionNames } from '../../auth/hosting-scopes.ts';
import { tokenScopeNames } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { notFound, type ValidationEntry, validationFailed } from '../../errors/errors.ts';
import { accountById } from '../accounts/accounts.queries.ts';
import { callingUser } from '../accounts/caller.ts';
import { isAuthorizedMember } from '../organizations/authorized-member.ts';
import { type CredentialRow, insertCredential } from './insert-credential.ts';

export interface Issued {
  token: string;
  credential: CredentialRow;
}

interface TokenInput {
  note: string;
  expiresAt?: Date | null | undefined;
}

const problem = (field: string, message: string): ValidationEntry => ({
  resource: 'Token',
  field,
  code: 'custom',
  message,
});

function tokenProblems({ note, expiresAt }: TokenInput, now: Date): ValidationEntry[] {
  const problems: ValidationEntry[] = [];
  if (note.trim() === '' || note.length > 200) problems.push(problem('note', 'A note has 1 to 200 characters.'));
  if (expiresAt && expiresAt <= now) problems.push(problem('expiresAt', 'A token expires in the future.'));
  return problems;
}

export function unknownScopes(scopes: readonly string[]): ValidationEntry[] {
  return scopes
    .filter(one => !tokenScopeNames.includes(one))
    .map(one => problem('scopes', `There is no scope ${one}.`));
}

/**
 * Creates a classic token for the caller, limited to the caller's own token.
 *
 * @throws 422 for invalid input; 403 for scopes that the caller lacks.
 */
export async function createClassicToken(
  context: Context,
  input: TokenInput & { scopes: readonly string[] },
): Promise<Issued> {
  const caller = callingUser(context.actor);
  const problems = [...tokenProblems(input, context.now()), ...unknownScopes(input.scopes)];
  if (problems.length > 0) throw validationFailed(problems);
  const grant = assertGrantable(caller, { scopes: input.scopes, expiresAt: input.expiresAt });
  return context.transaction(db =>
    insertCredential(
      db,
      {
        kind: 'classic',
        accountId: caller.accountId,
        note: input.note.trim(),
        scopes: [...new Set(input.scopes)],
        ...grant,
      },
      context.now(),
    ),
  );
}

export interface FineGrainedInput extends TokenInput {
  /** Number of the account whose repositories the token covers; the caller when omitted. */
  resourceOwnerId?: number | undefined;
  permissions: PermissionMap;
  /** Numbers of repositories of that account; all, including later ones, when omitted. */
  repositoryIds?: readonly number[] | undefined;
}

export function unknownPermissions(permissions: PermissionMap): ValidationEntry[] {
  return Object.keys(permissions)
    .filter(one => !permissionNames.includes(one))
    .map(one => problem('permissions', `There is no permission ${one}.`));
}

/**
 * Creates a fine-grained token for the caller. Creating it authorizes it for its organization, so the caller's token
 * must be authorized there.
 *
 * @throws 422 for invalid input; 404 for an unknown account; 403 for missing rights.
 */
export async function createFineGrainedToken(context: Context, input: FineGrainedInput): Promise<Issued> {
  const caller = callingUser(context.actor);
  const problems = [...tokenProblems(input, context.now()), ...unknownPermissions(input.permissions)];
  if (problems.length > 0) throw validationFailed(problems);
  const grant = assertGrantable(caller, { permissions: input.permissions, expiresAt: input.expiresAt });
  const ownerId = await requireResourceOwnerId(context, caller, input.resourceOwnerId ?? caller.accountId);
  if (input.repositoryIds) await assertRepositoriesOf(context, ownerId, input.repositoryIds);
  return context.transaction(db =>
    insertCredential(
      db,
      {
        kind: 'fine_grained',
        accountId: caller.accountId,
        note: input.note.trim(),
        permissions: input.permissions,
        resourceOwnerId: ownerId,
        repositories: input.repositoryIds,
        ...grant,
      },
      context.now(),
    ),
  );
}

async function requireResourceOwnerId(context: Context, caller: UserActor, id: number): Promise<number> {
  const owner = await accountById(context, id, new Map());
  if (!owner) throw notFound();
  if (owner.databaseId === caller.accountId) return owner.databaseId;
  if (!(await isAuthorizedMember(context, caller, owner))) throw notFound();
  return owner.databaseId;
}

/** All must exist: silently covering fewer would be surprising. */
async function assertRepositoriesOf(context: Context, ownerId: number, ids: readonly number[]): Promise<void> {
  const found = await context.read(sql<{ id: number }>`
    select id from repository where owner_id = ${ownerId} and id = any(${[...ids]}::bigint[])`);
  if (found.length !== new Set(ids).size) {
    throw validationFailed([problem('repositoryIds', 'There is no such repository of that account.')]);
  }
}
