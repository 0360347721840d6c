import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Actor, InstallationActor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import type { InstallationRow } from '../apps/apps.queries.ts';
import type { CommitRepository } from '../commits/git-commit.ts';
import type { MembershipRow } from '../organizations/membership-rows.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import type { EventObjectIds, HookEventData, PushEventData } from './hook-event.ts';
import { loadPayloadCommits } from './payload-commits.ts';

/** Ids of all objects in a payload, each serialized as the REST API publishes it to the installation. */
export interface PayloadObjects extends EventObjectIds {
  repository?: number | undefined;
  repositoryState?: HookEventData['repositoryState'] | undefined;
  organization?: number | undefined;
  sender?: number | undefined;
  installation?: InstallationRow | undefined;
  membership?: MembershipRow | undefined;
}

export type PayloadContext = Pick<
  Context,
  'actor' | 'read' | 'workBudget' | 'isolation' | 'config' | 'keys' | 'now' | 'origin' | 'apiBaseUrl' | 'load'
>;

/** Serializes objects. Omits those that are deleted or not visible to the installation. */
export type SerializeObjects = (wanted: PayloadObjects, context: PayloadContext) => Promise<Record<string, unknown>>;

/** The repository of an event, with its owner. */
export type HookRepository = CommitRepository & Pick<OwnedRow, 'ownerId' | 'ownerKind'>;

/** Input of `buildPayload`: a delivery whose payload has not been built yet. */
export interface PayloadSource {
  /** Context with the permissions of the installation that receives the event. */
  context: PayloadContext;
  /** Payload parts that are equal for all recipients of an event, by event GUID. */
  sharedParts: Map<string, Promise<object>>;
  guid: string;
  event: string;
  action: string | null;
  repositoryId: number | null;
  installationId: number | null;
  hookRepository: HookRepository | null;
  cause: HookEventData;
}

/** The receiver lost the repository after the event: the app was uninstalled, say. */
export class NotInstalledError extends Error {}

/**
 * Builds the payload of an event with keys in published order.
 *
 * @throws NotInstalledError when the installation no longer covers the repository.
 */
export async function buildPayload(source: PayloadSource, serialize: SerializeObjects): Promise<object> {
  const { context, cause, repositoryId, installationId, event } = source;
  const hookRepository = repositoryAtEvent(source);
  const isOwn = cause.installation !== undefined;
  const objects = await serialize(
    {
      ...cause.objects,
      repository: hookRepository?.databaseId,
      repositoryState: cause.repositoryState,
      organization:
        cause.organizationId ?? (hookRepository?.ownerKind === 'organization' ? hookRepository.ownerId : undefined),
      sender: cause.senderId ?? hookRepository?.ownerId,
      installation: cause.installation,
      membership: cause.membership,
    },
    context,
  );
  const { repository, organization, sender, installation, inviter, formerUser, formerOrganization, ...named } = objects;
  const isTransfer = event === 'repository' && source.action === 'transferred';
  if (repositoryId !== null && repository === undefined) throw new NotInstalledError();
  const part = (name: string, value: unknown): object =>
    value === undefined || value === null ? {} : { [name]: value };
  return {
    ...part('action', source.action ?? undefined),
    ...(event === 'push' && hookRepository && cause.push
      ? await sharedPushKeys(source, hookRepository, cause.push)
      : {}),
    ...cause.own,
    ...(inviter !== undefined && inviter !== null && { invitation: { ...(cause.own?.invitation as object), inviter } }),
    ...(isTransfer && {
      changes: { owner: { from: { ...part('user', formerUser), ...part('organization', formerOrganization) } } },
    }),
    ...named,
    ...part('repository', repository),
    ...part('organization', organization),
    ...part('sender', sender),
    ...part(
      'installation',
      isOwn
        ? installation
        : installationId && { id: installationId, node_id: encodeGlobalId('Installation', installationId) },
    ),
  };
}

/** The repository under the name and the owner that it had at the event; absent in deliveries of earlier versions. */
function repositoryAtEvent({ hookRepository, cause: { repositoryState } }: PayloadSource): HookRepository | null {
  if (!hookRepository || !repositoryState) return hookRepository;
  const {
    name = hookRepository.name,
    ownerId = hookRepository.ownerId,
    ownerLogin = hookRepository.ownerLogin,
    ownerKind = hookRepository.ownerKind,
  } = repositoryState;
  return { ...hookRepository, name, ownerId, ownerLogin, ownerKind };
}

/** Built once per event: commits are equal for all recipients. */
function sharedPushKeys(
  { context, sharedParts, guid, cause }: PayloadSource,
  hookRepository: HookRepository,
  push: PushEventData,
): Promise<object> {
  const created = sharedParts.get(guid) ?? pushKeys(context, hookRepository, cause, push);
  sharedParts.set(guid, created);
  return created;
}

const zeroOid = /^0+$/;

async function pushKeys(
  context: PayloadContext,
  hookRepository: HookRepository,
  { senderId }: HookEventData,
  push: PushEventData,
): Promise<object> {
  const { ref, before, after, baseRef, forced, head } = push;
  const [created, deleted] = [zeroOid.test(before), zeroOid.test(after)];
  const isListed = head === null || push.commits.some(([sha]) => sha === head);
  const wanted = isListed ? push.commits : [...push.commits, [head, false] as [string, boolean]];
  const all = await loadPayloadCommits(context, hookRepository, wanted);
  const short = ref.replace(/^refs\/(heads|tags)\//, '');
  const range = created ? short : `${before.slice(0, 12)}...${after.slice(0, 12)}`;
  return {
    ref,
    before,
    after,
    base_ref: baseRef,
    created,
    deleted,
    forced,
    compare: `${context.origin}/${hookRepository.ownerLogin}/${hookRepository.name}/compare/${range}`,
    commits: isListed ? all : all.slice(0, -1),
    head_commit: all.find(({ id }) => id === head) ?? null,
    pusher: await loadPusher(context, senderId),
  };
}

async function loadPusher({ read, config }: PayloadContext, id: number | undefined): Promise<object> {
  if (id === undefined) return { name: config.HOSTING_BRAND };
  const [found] = await read(sql<{ name: string; email: string | null }>`
    select login as name, public_email as email from account where id = ${id}`);
  return found ?? { name: config.HOSTING_BRAND };
}

/** Actor with the permissions of the installation that receives the event. */
export function recipientActor({
  databaseId,
  appId,
  accountId,
  repositorySelection,
  permissions,
}: RecipientInstallation): InstallationActor {
  return {
    kind: 'installation',
    ip: '',
    installationId: databaseId,
    appId,
    accountId,
    selection: repositorySelection === 'all' ? 'all' : 'installation',
    permissions,
    credential: { kind: 'installation', id: 0, expiresAt: null },
  };
}

/**
 * Actor for the payload of a hook, which may read the repository of the event and otherwise what is public. Its administrators
 * configured the hook, so it has no installation whose permissions would bound it.
 */
export function hookActor(repositoryId: number | null): Actor {
  if (repositoryId === null) return { kind: 'anonymous', ip: '' };
  const credential = { kind: 'workflow', id: 0, expiresAt: null } as const;
  return { kind: 'workflow', ip: '', repositoryId, permissions: { contents: 'read', metadata: 'read' }, credential };
}

export type RecipientInstallation = Pick<
  InstallationRow,
  'databaseId' | 'appId' | 'accountId' | 'repositorySelection' | 'permissions'
>;
