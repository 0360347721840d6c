import { type RawBuilder, sql } from 'kysely';
import { RepositoryAffiliation } from '../../../schema/hosting/repository-filters.ts';
import type {
  ForkSort,
  OrganizationRepositoryType,
  RepositorySort,
  UserRepositoryType,
} from '../../../schema/hosting/repository-list-filters.ts';
import type { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { validationFailed } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { type OwnedRow, repositoryPage, stargazerCountSql } from './repositories.queries.ts';
import { affiliated, filterConditions, type RepositoryFilter, repositoryOrder } from './repository-lists.queries.ts';
import type { ViewerRepositoriesArgs } from './rest-repository-lists.args.ts';

interface Sorted {
  sort?: RepositorySort | null | undefined;
  direction?: OrderDirection | null | undefined;
}

const { OWNER, COLLABORATOR, ORGANIZATION_MEMBER } = RepositoryAffiliation;
const everyAffiliation = [OWNER, COLLABORATOR, ORGANIZATION_MEMBER];
const ofOthers = [COLLABORATOR, ORGANIZATION_MEMBER];

function orderOf({ sort, direction }: Sorted, byDefault: RepositorySort): RawBuilder<unknown> {
  const key = sort ?? byDefault;
  const towards = direction ?? (key === 'full_name' ? 'asc' : 'desc');
  if (key === 'full_name') return sql.raw(`lower(o.login) ${towards}, lower(r.name) ${towards}, r.id ${towards}`);
  return repositoryOrder({ field: key, direction: towards }, '');
}

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> => sql.join(conditions, sql` and `);

/**
 * Repositories of the caller: own ones, those of the caller's organizations, and those the caller collaborates on.
 *
 * @throws 422 for a type beside a visibility or affiliations
 */
export function repositoriesOfViewer(context: Context, args: ViewerRepositoriesArgs): ListSource<OwnedRow> {
  const { visibility, affiliations, type, updatedSince, updatedBefore } = args;
  if (type != null && (visibility != null || affiliations != null)) {
    throw validationFailed([], 'If you specify visibility or affiliation, you cannot specify type.');
  }
  const caller = sql`${callingUser(context.actor).accountId}::bigint`;
  const wanted = type === 'owner' ? [OWNER] : type === 'member' ? ofOthers : (affiliations ?? everyAffiliation);
  const shown = visibility ?? type;
  const conditions = [
    sql`r.id in (${affiliated(caller, wanted)})`,
    ...(type === 'member' ? [sql`r.owner_id <> ${caller}`] : []),
    ...(shown === 'public' || shown === 'private' ? [sql`r.is_private = ${shown === 'private'}`] : []),
    ...(updatedSince ? [sql`r.updated_at > ${updatedSince}`] : []),
    ...(updatedBefore ? [sql`r.updated_at < ${updatedBefore}`] : []),
  ];
  return repositoryPage(context, all(conditions), orderOf(args, 'full_name'));
}

/** Repositories of an account. Relations other than ownership are shown to the account itself only. */
export function repositoriesOfAccount(
  context: Context,
  accountId: number,
  { type, ...sorted }: Sorted & { type?: UserRepositoryType | null | undefined },
): ListSource<OwnedRow> {
  const { actor } = context;
  const isSelf = actor.kind === 'user' && actor.accountId === accountId;
  const wanted = type === 'all' ? everyAffiliation : type === 'member' ? ofOthers : [OWNER];
  const shown = wanted.filter(one => isSelf || one === OWNER);
  const condition =
    shown.length === 1 && shown[0] === OWNER
      ? sql`r.owner_id = ${accountId}`
      : sql`r.id in (${affiliated(sql`${accountId}::bigint`, shown)})`;
  return repositoryPage(context, condition, orderOf(sorted, 'full_name'));
}

const organizationFilters: Record<OrganizationRepositoryType, RepositoryFilter> = {
  all: {},
  public: { visibility: 'public' },
  private: { visibility: 'private' },
  forks: { isFork: true },
  sources: { isFork: false },
  member: { affiliations: ofOthers },
};

/** Repositories of an organization. */
export function repositoriesOfOrganization(
  context: Context,
  organizationId: number,
  { type, ...sorted }: Sorted & { type?: OrganizationRepositoryType | null | undefined },
): ListSource<OwnedRow> {
  const filters = filterConditions(context.actor, organizationFilters[type ?? 'all']);
  const conditions = [sql`r.owner_id = ${organizationId}`, ...filters];
  return repositoryPage(context, all(conditions), orderOf(sorted, 'created_at'));
}

const forkOrders: Record<ForkSort, string> = {
  newest: 'r.created_at desc, r.id desc',
  oldest: 'r.created_at, r.id',
  stargazers: `${stargazerCountSql} desc, r.id desc`,
  // As in the answers, where `watchers` is the number of stars.
  watchers: `${stargazerCountSql} desc, r.id desc`,
};

/** Direct forks of a repository. */
export function forksOfRepository(
  context: Context,
  repositoryId: number,
  sort: ForkSort | null | undefined,
): ListSource<OwnedRow> {
  return repositoryPage(context, sql`r.parent_id = ${repositoryId}`, sql.raw(forkOrders[sort ?? 'newest']));
}
