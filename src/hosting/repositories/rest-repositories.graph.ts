import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Info, Mutation, Resolver } from 'type-graphql';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryVisibility } from '../../../schema/hosting/repository-filters.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { createFromTemplate } from './create-from-template.ts';
import { createRepository } from './create-repository.ts';
import { createWithReadme } from './create-with-readme.ts';
import { forkRepository } from './fork-repository.ts';
import type { OwnedRow } from './repositories.queries.ts';
import { requireRepository } from './repository-mutations.graph.ts';
import { NewForkArgs, NewRepositoryArgs, RepositoryChangeArgs, TemplateCopyArgs } from './rest-repositories.args.ts';
import { updateRepository } from './update-repository.ts';

/** Whether a repository is private; undefined when neither argument says so. @throws 422 for `INTERNAL` */
function privacyOf({
  isPrivate,
  visibility,
}: {
  isPrivate?: boolean | null | undefined;
  visibility?: RepositoryVisibility | null | undefined;
}): boolean | undefined {
  if (visibility === RepositoryVisibility.INTERNAL) {
    const message = 'visibility must be public or private: internal is not offered.';
    throw validationFailed([{ resource: 'Repository', field: 'visibility', code: 'custom', message }]);
  }
  return visibility == null ? (isPrivate ?? undefined) : visibility === RepositoryVisibility.PRIVATE;
}

/** Id of the organization with this login; undefined for none. @throws 404 for an unknown one */
async function ownerIdOf(context: Context, organization: string | null | undefined): Promise<number | undefined> {
  if (organization == null) return undefined;
  const found = await accountByLogin(context, organization, noSelection, 'organization');
  if (!found) throw notFound();
  return found.databaseId;
}

/** Writes with the names and parameters of REST. */
@Resolver()
export class RestRepositoryRoots {
  @RestOnly()
  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Creates a repository.' })
  async restCreateRepository(
    @Args(() => NewRepositoryArgs) { organization, isInitialized, ...args }: NewRepositoryArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    const isPrivate = privacyOf(args);
    const ownerId = await ownerIdOf(context, organization);
    const create = isInitialized === true ? createWithReadme : createRepository;
    const id = await create(context, { ...args, homepageUrl: args.homepageUrl || null, ownerId, isPrivate });
    return requireRepository(context, id, selectionOf(info));
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Changes the settings of a repository. Absent arguments change nothing.' })
  async restUpdateRepository(
    @Args(() => RepositoryChangeArgs)
    { owner, name, newName, isPrivate, visibility, homepageUrl, ...change }: RepositoryChangeArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    const id = await updateRepository(
      context,
      { owner, name },
      {
        ...change,
        name: newName,
        homepageUrl: homepageUrl === '' ? null : homepageUrl,
        isPrivate: privacyOf({ isPrivate, visibility }),
      },
    );
    return requireRepository(context, id, selectionOf(info));
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Forks a repository, or returns the fork that the owner has.' })
  async restForkRepository(
    @Args(() => NewForkArgs) { owner, name, organization, forkName }: NewForkArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    const ownerId = await ownerIdOf(context, organization);
    const id = await forkRepository(context, { owner, name }, { ownerId, name: forkName });
    return requireRepository(context, id, selectionOf(info));
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => Repository, { description: 'Creates a repository with the files of a template.' })
  async restCreateFromTemplate(
    @Args(() => TemplateCopyArgs)
    { owner, name, newOwner, newName, ...settings }: TemplateCopyArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow> {
    const account = newOwner == null ? undefined : await accountByLogin(context, newOwner, noSelection);
    if (account === null) throw notFound();
    const copy = { ...settings, name: newName, ownerId: account?.databaseId };
    return requireRepository(context, await createFromTemplate(context, { owner, name }, copy), selectionOf(info));
  }
}
