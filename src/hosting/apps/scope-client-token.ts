import { sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { authorityOf, authorityOfInstallation, grantable } from '../../auth/credentials/grantable.ts';
import { isInstalled } from '../../auth/credentials/stored-token.ts';
import type { Context } from '../../context/context.ts';
import { forbidden, notFound, ruleBroken } from '../../errors/errors.ts';
import { loginKey } from '../accounts/login.ts';
import { insertCredential } from '../credentials/insert-credential.ts';
import { type InstallationRow, installationColumns } from './apps.queries.ts';
import { type ClientAuthorizationRow, callingClient, clientToken } from './client-tokens.ts';
import { installedRepositories } from './installed-repositories.ts';

export interface ScopeInput {
  clientId: string;
  accessToken: string;
  target?: string | null | undefined;
  targetId?: number | null | undefined;
  repositories?: readonly string[] | null | undefined;
  repositoryIds?: readonly number[] | null | undefined;
  permissions?: PermissionMap | null | undefined;
}

/** Makes a second token of an app for a user, for one account alone, and perhaps for some of its repositories. */
export async function scopeClientToken(context: Context, input: ScopeInput): Promise<ClientAuthorizationRow> {
  const { client } = callingClient(context.actor, input.clientId);
  const { target, targetId, repositories, repositoryIds } = input;
  if ((target == null) === (targetId == null))
    throw ruleBroken([], 'Exactly one of target and target_id must be given.');
  if (repositories != null && repositoryIds != null) {
    throw ruleBroken([], 'Only one of repositories and repository_ids may be given.');
  }
  const parent = await clientToken(context, input.clientId, input.accessToken);
  // Tokens of an OAuth app go by scopes, which are about all of a user's accounts.
  if (!('appId' in client)) throw forbidden({ reason: 'oauth_app' }, 'Only tokens of an app can be narrowed.');
  if (parent.narrowed) throw forbidden({ reason: 'narrowed' }, 'A token that was narrowed cannot be narrowed again.');
  const installation = await installationOn(context, client.appId, target ?? undefined, targetId ?? undefined);
  if (!installation) throw notFound();
  const looked = await context.credentials.token(input.accessToken, context.actor.ip, context.now());
  if (!('actor' in looked)) throw notFound();
  const authority = authorityOfInstallation(authorityOf(looked.actor), installation.permissions, undefined);
  const permissions = input.permissions ?? authority.permissions ?? {};
  // As long as the parent, whose expiry is the first of all above it. Private repositories: the look-up decides.
  const decision = grantable(authority, { permissions, reachesPrivate: false });
  if ('refused' in decision) throw ruleBroken([], 'The permissions requested are not granted to this installation.');
  const all = repositories == null && repositoryIds == null;
  const chosen = all
    ? undefined
    : await installedRepositories(context, installation, repositories ?? [], repositoryIds ?? []);
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
  return clientToken(context, input.clientId, token);
}

async function installationOn(
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
