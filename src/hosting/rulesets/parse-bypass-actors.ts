import { type Kysely, sql } from 'kysely';
import type { RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import { type BypassActor, minRoleByRoleId } from '../rules/bypass.ts';
import type { DocumentPath, DocumentValidator } from './document-validator.ts';

const maxActors = 100;
const actorTypes = ['Integration', 'OrganizationAdmin', 'RepositoryRole', 'Team', 'DeployKey', 'User'] as const;
const bypassModes = ['always', 'pull_request', 'exempt'] as const;

/**
 * Published actor types that cannot exist here. An actor that never matches would promise a bypass that does not work.
 */
const unsupportedReasons = {
  Team: 'there are no teams',
  DeployKey: 'there are no deploy keys',
} as const;

/** Parses bypass actors to their stored form. Errors are added to the validator. */
export function parseBypassActors(input: readonly unknown[], validator: DocumentValidator): BypassActor[] {
  const all = validator.array(input, ['bypass_actors'], maxActors) ?? [];
  return all.flatMap((one, at) => parseActor(one, ['bypass_actors', at], validator) ?? []);
}

function parseActor(input: unknown, path: DocumentPath, validator: DocumentValidator): BypassActor | undefined {
  const object = validator.object(input, path);
  if (!object) return undefined;
  if (object.actor_type === undefined) return validator.addMissing('actor_type');
  const actor_type = validator.choice(object.actor_type, [...path, 'actor_type'], actorTypes);
  const bypass_mode =
    object.bypass_mode == null ? 'always' : validator.choice(object.bypass_mode, [...path, 'bypass_mode'], bypassModes);
  if (actor_type === undefined || bypass_mode === undefined) return undefined;
  if (actor_type === 'Team' || actor_type === 'DeployKey') {
    validator.addError(
      `Invalid bypass actor: ${actor_type} is not supported here, for ${unsupportedReasons[actor_type]}.`,
    );
    return undefined;
  }
  if (actor_type === 'OrganizationAdmin') return { actor_id: null, actor_type, bypass_mode };
  if (object.actor_id == null) return validator.addMissing('actor_id');
  const actor_id = validator.integer(object.actor_id, [...path, 'actor_id'], [1, Number.MAX_SAFE_INTEGER]);
  return actor_id === undefined ? undefined : { actor_id, actor_type, bypass_mode };
}

/**
 * Adds errors for actors that do not exist and modes that do not apply. `ownerId` is the organization, or the owner of
 * the repository.
 */
export async function checkBypassActors(
  db: Kysely<unknown>,
  actors: readonly BypassActor[],
  {
    target,
    ownerId,
    isOwnedByOrganization,
  }: { target: RulesetTargetValue; ownerId: number; isOwnedByOrganization: boolean },
  validator: DocumentValidator,
): Promise<void> {
  const idsOf = (type: BypassActor['actor_type']): number[] =>
    actors.flatMap(({ actor_type, actor_id }) => (actor_type === type && actor_id !== null ? [actor_id] : []));
  for (const { actor_type, actor_id, bypass_mode } of actors) {
    if (bypass_mode === 'pull_request' && target !== 'branch') {
      validator.addError('Invalid bypass actor: the mode pull_request is for rulesets of branches.');
    }
    if (actor_type === 'OrganizationAdmin' && !isOwnedByOrganization) {
      validator.addError('Invalid bypass actor: OrganizationAdmin needs an organization.');
    }
    if (actor_type === 'RepositoryRole' && !minRoleByRoleId.has(actor_id ?? 0)) {
      validator.addError(
        `Invalid bypass actor: there is no repository role ${actor_id} that pushes; 2, 4 and 5 are there.`,
      );
    }
  }
  const [users, apps] = [idsOf('User'), idsOf('Integration')];
  if (users.length + apps.length === 0) return;
  const { rows } = await sql<{ what: string; id: number }>`
    select 'User' as what, id from account where id = any(${users}::bigint[]) and kind = 'user'
    union all
    select 'Integration', app_id from installation where app_id = any(${apps}::bigint[]) and account_id = ${ownerId}`.execute(
    db,
  );
  const known = new Set(rows.map(({ what, id }) => `${what} ${id}`));
  for (const id of users)
    if (!known.has(`User ${id}`)) validator.addError(`Invalid bypass actor: there is no user ${id}.`);
  for (const id of apps) {
    if (!known.has(`Integration ${id}`))
      validator.addError(`Invalid bypass actor: the app ${id} is not installed here.`);
  }
}
