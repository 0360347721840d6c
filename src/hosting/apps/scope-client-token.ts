import { sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { authorityOf, decideGrant, installationAuthority } from '../../auth/credentials/delegation.ts';
import { isInstalled } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { forbidden, notFound, validationFailed } from '../../errors/errors.ts';
import { loginKey } from '../accounts/login.ts';
import { insertCredential } from '../credentials/insert-credential.ts';
import { type InstallationRow, installationColumns } from './apps.queries.ts';
import { type ClientAuthorizationRow, requireCallingClient, requireClientToken } from './client-tokens.ts';
import { requireInstalledRepositories } from './require-installed-repositories.ts';

export interface ScopeInput {
  clientId: string;
  secret: string;
  targetLogin?: string | null | undefined;
  targetId?: number | null | undefined;
  repositoryNames?: readonly string[] | null | undefined;
  repositoryIds?: readonly number[] | null | undefined;
  permissions?: PermissionMap | null | undefined;
}

/**
 * Creates a second user token of an app that is restricted to one account, and optionally to some of its repositories.
 *
 * @throws 404, 403 or 422 as published.
 */
export async function scopeClientToken(context: Context, input: ScopeInput): Promise<ClientAuthorizationRow> {
  const { client } = requireCallingClient(context.actor, input.clientId);
  const { targetLogin: target, targetId, repositoryNames: repositories, repositoryIds } = input;
  if ((target == null) === (targetId == null))
    throw validationFailed([], 'Exactly one of target and target_id must be given.');
  if (repositories != null && repositoryIds != null) {
    throw validationFailed([], 'Only one of repositories and repository_ids may be given.');
  }
  const parent = await requireClientToken(context, input.clientId, input.secret);
  // OAuth app tokens have scopes, which apply to all accounts.
  if (!('appId' in client)) throw forbidden({ reason: 'oauth_app' }, 'Only tokens of an app can be narrowed.');
  if (parent.narrowed) throw forbidden({ reason: 'narrowed' }, 'A token that was narrowed cannot be narrowed again.');
  const installation = await findInstallation(context, client.appId, target ?? undefined, targetId ?? undefined);
  if (!installation) throw notFound();
  const looked = await context.credentials.verifyToken(input.secret, context.actor.ip, context.now());
  if (!('actor' in looked)) throw notFound();
  const authority = installationAuthority(authorityOf(looked.actor), installation.permissions, undefined);
  const permissions = input.permissions ?? authority.permissions ?? {};
  // Expires with the parent token, whose expiry already is the earliest of its ancestors. Token look-ups decide about
  // private repositories.
  const decision = decideGrant(authority, { permissions, reachesPrivate: false });
  if ('refused' in decision)
    throw validationFailed([], 'The permissions requested are not granted to this installation.');
  const all = repositories == null && repositoryIds == null;
  const chosen = all
    ? undefined
    : await requireInstalledRepositories(context, installation, repositories ?? [], repositoryIds ?? []);
  const { token } = await context.transaction(db =>
    insertCredential(
      db,
      {
        kind: 'user_to_server',
        accountId: parent.accountId,
        appId: client.appId,
        permissions,
        resourceOwnerId: installation.accountId,
        repositories: chosen,
        ...decision.granted,
      },
      context.now(),
    ),
  );
  return requireClientToken(context, input.clientId, token);
}

async function findInstallation(
  { read }: Context,
  appId: number,
  login: string | undefined,
  id: number | undefined,
): Promise<InstallationRow | undefined> {
  const owner =
    login === undefined ? sql`${id ?? 0}` : sql`(select id from account where lower(login) = ${loginKey(login) ?? ''})`;
  const [found] = await read(sql<InstallationRow>`select ${installationColumns} from installation
    i where app_id = ${appId} and account_id = ${owner} and ${isInstalled}`);
  return found;
}
