import { type Kysely, sql } from 'kysely';
import type { Actor, InstallationActor } from '../../auth/actor.ts';
import { notAccessibleTo } from '../../auth/check-hosting-scope.ts';
import { hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { forbidden, notFound, type ValidationEntry, validationFailed } from '../../errors/errors.ts';
import { isBranchName } from '../../git/ref-name.ts';
import { type AccountRow, accountById } from '../accounts/accounts.queries.ts';
import { eventActor, type NewEvent, recordEvents } from '../events/record-events.ts';
import { isAuthorizedMember, membersAmong } from '../organizations/authorized-member.ts';
import { maxTextLength, textProblems } from '../text-problems.ts';
import { recordRepositoryEvent } from './repository-events.ts';
import { nameProblems } from './repository-name.ts';

export interface NewRepository {
  /** Account that owns the repository; the caller when omitted. */
  ownerId?: number | null | undefined;
  name: string;
  description?: string | null | undefined;
  homepageUrl?: string | null | undefined;
  isPrivate?: boolean | null | undefined;
  isTemplate?: boolean | null | undefined;
  /** Template that the repository is created from. */
  templateId?: number | undefined;
  defaultBranch?: string | null | undefined;
  topics?: readonly string[] | null | undefined;
}

/** The problem of a name that another repository of the owner has. */
export const nameTaken = { resource: 'Repository', field: 'name', code: 'already_exists' } as const;

/**
 * Creates an empty repository for the caller, or for an organization of the caller. Returns its id.
 *
 * @throws 422 for invalid properties or a name that is taken; 403 when the caller may not create it there.
 */
export async function createRepository(context: Context, input: NewRepository): Promise<number> {
  const owner = await requireCreatable(context, input);
  return context.transaction(db => createInTransaction(db, context, owner, input));
}

/** Validates a new repository. Returns the id of its owner. @throws as `createRepository` */
export async function requireCreatable(context: Context, input: NewRepository): Promise<number> {
  const problems = [...nameProblems(input.name), ...fieldProblems(input)];
  if (problems.length > 0) throw validationFailed(problems);
  return requireOwnerId(context, input);
}

/** Inserts a validated repository and records its events. Returns its id. @throws 422 when the name is taken */
export async function createInTransaction(
  db: Kysely<unknown>,
  context: Pick<Context, 'actor' | 'now'>,
  ownerId: number,
  input: NewRepository & { id?: number | undefined },
): Promise<number> {
  const [by, at] = [eventActor(context.actor), context.now()];
  const repositoryId = await insertRepository(db, ownerId, input, at);
  await admitCreator(db, context, { repositoryId, ownerId });
  await recordEvents(db, { repositoryId, by, at }, [repositoryCreatedEvent(input)]);
  await recordRepositoryEvent(db, context, repositoryId, 'created');
  return repositoryId;
}

/** Makes the user who creates a repository for an organization its administrator, unless the organization already does. */
export async function admitCreator(
  db: Kysely<unknown>,
  { actor, now }: Pick<Context, 'actor' | 'now'>,
  { repositoryId, ownerId }: { repositoryId: number; ownerId: number },
): Promise<void> {
  if (actor.kind !== 'user' || actor.accountId === ownerId) return;
  await sql`insert into collaborator (repository_id, account_id, role, since)
    select ${repositoryId}::bigint, ${actor.accountId}::bigint, 'admin', ${now()}::timestamptz
    where not exists (select from membership m where m.organization_id = ${ownerId} and m.account_id = ${actor.accountId}
      and m.role = 'admin')`.execute(db);
}

/** Validates the texts of a repository. */
export function settingProblems({
  description,
  homepageUrl,
}: Pick<NewRepository, 'description' | 'homepageUrl'>): ValidationEntry[] {
  const { address, description: maxDescription } = maxTextLength;
  return textProblems('Repository', {
    description: [description, maxDescription],
    homepage: [homepageUrl, address],
  });
}

function fieldProblems({ defaultBranch, ...settings }: NewRepository): ValidationEntry[] {
  const problems = settingProblems(settings);
  if (defaultBranch == null || isBranchName(defaultBranch)) return problems;
  return [...problems, { resource: 'Repository', field: 'default_branch', code: 'invalid' }];
}

/** The event of a new repository. */
export function repositoryCreatedEvent({ description, defaultBranch }: NewRepository): NewEvent {
  return {
    type: 'CreateEvent',
    facts: {
      ref: null,
      refType: 'repository',
      fullRef: null,
      masterBranch: defaultBranch ?? 'main',
      description: description ?? null,
    },
  };
}

/** SQL: an id that no repository has or gets. */
export const newRepositoryId = sql<number>`nextval(pg_get_serial_sequence('repository', 'id'))`;

/**
 * Inserts an empty repository. Owner and name must have been validated.
 *
 * @throws 422 when the name is taken.
 */
export async function insertRepository(
  db: Kysely<unknown>,
  ownerId: number,
  input: NewRepository & { id?: number | undefined },
  now: Date,
): Promise<number> {
  try {
    const inserted = await sql<{ id: number }>`
      insert into repository (id, owner_id, name, description, homepage, is_private, is_template, template_id, default_branch, topics, created_at, updated_at)
      values (coalesce(${input.id ?? null}, ${newRepositoryId}), ${ownerId}, ${input.name}, ${input.description ?? null}, ${input.homepageUrl ?? null}, ${input.isPrivate ?? false}, ${input.isTemplate ?? false}, ${input.templateId ?? null},
        ${input.defaultBranch ?? 'main'}, ${[...(input.topics ?? [])]}, ${now}, ${now}) returning id`.execute(db);
    // A name in use no longer redirects to the repository that had it before.
    await sql`delete from former_repository_name where owner_id = ${ownerId} and name = ${input.name.toLowerCase()}`.execute(
      db,
    );
    return (inserted.rows[0] as { id: number }).id;
  } catch (error) {
    throw isUniqueViolation(error, 'repository_name') ? validationFailed([nameTaken]) : error;
  }
}

/**
 * Returns the id of the owner.
 *
 * @throws 403 or 404 when the caller may not create repositories there.
 */
export async function requireOwnerId(
  context: Context,
  { ownerId, isPrivate }: Pick<NewRepository, 'ownerId' | 'isPrivate'>,
): Promise<number> {
  const { actor } = context;
  if (actor.kind === 'user' && (ownerId == null || ownerId === actor.accountId)) {
    assertCredentialReach(actor, { databaseId: actor.accountId }, isPrivate === true);
    return actor.accountId;
  }
  const account = ownerId == null ? null : await accountById(context, ownerId, new Map());
  if (!account) throw notFound();
  assertCredentialReach(actor, account, isPrivate === true);
  if (actor.kind === 'installation') await assertGrantorsBelong(context, actor, account);
  if (actor.kind !== 'user') return account.databaseId;
  if (!(await isAuthorizedMember(context, actor, account))) {
    throw forbidden({ reason: 'role' }, `You cannot create a repository for ${account.login}.`);
  }
  return account.databaseId;
}

/** An app may create repositories only where its installer may. */
async function assertGrantorsBelong(
  context: Context,
  { credential: { bounds } }: InstallationActor,
  owner: AccountRow,
): Promise<void> {
  const { databaseId, login } = owner;
  const grantorIds = (bounds?.accountIds ?? []).filter(one => one !== databaseId);
  if (grantorIds.length === 0) return;
  const members = await membersAmong(context, owner, grantorIds);
  const withheld = members[0]?.enforcesSso && bounds?.ssoOrganizations?.includes(databaseId) === false;
  if (members.length < grantorIds.length || withheld) {
    throw forbidden({ reason: 'role' }, `You cannot create a repository for ${login}.`);
  }
}

function assertCredentialReach(actor: Actor, { databaseId }: Pick<AccountRow, 'databaseId'>, isPrivate: boolean): void {
  if (!reachesNewRepositories(actor, databaseId, isPrivate)) throw notAccessibleTo(actor);
}

/** Whether a credential may add repositories to an owner: only where it covers all existing ones. */
export function reachesNewRepositories(actor: Actor, ownerId: number, isPrivate: boolean): boolean {
  const bounds = 'credential' in actor ? actor.credential.bounds : undefined;
  if (isPrivate && bounds?.reachesPrivate === false) return false;
  if (actor.kind === 'installation') return actor.accountId === ownerId && actor.selection === 'all';
  if (actor.kind !== 'user') return false;
  const { credential } = actor;
  if ('scopes' in credential && hasTokenScope(credential.scopes, [isPrivate ? 'repo' : 'public_repo'])) return true;
  return credential.kind === 'fine_grained' && credential.selection === 'all' && credential.resourceOwnerId === ownerId;
}
