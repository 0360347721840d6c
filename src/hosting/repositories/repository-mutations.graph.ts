import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryVisibility } from '../../../schema/hosting/repository-filters.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { type Selection, selectionBelow } from '../../db/selection.ts';
import { badInput, notFound, validationFailed } from '../../errors/errors.ts';
import { accountNumber } from '../accounts/account-ref.ts';
import { setArchived } from './archive-repository.ts';
import { createFromTemplate } from './create-from-template.ts';
import { createRepository } from './create-repository.ts';
import { createWithReadme } from './create-with-readme.ts';
import { deleteRepository } from './delete-repository.ts';
import { forkRepository } from './fork-repository.ts';
import { replaceTopics } from './replace-topics.ts';
import { type OwnedRow, repositoriesByIds } from './repositories.queries.ts';
import {
  ArchiveRepositoryInput,
  CloneTemplateRepositoryInput,
  CreateRepositoryInput,
  DeleteRepositoryInput,
  ForkRepositoryInput,
  UnarchiveRepositoryInput,
  UpdateRepositoryInput,
  UpdateTopicsInput,
} from './repository-inputs.ts';
import { addressOfId, addressOfRef } from './repository-ref.ts';
import { updateRepository } from './update-repository.ts';

const CreateRepositoryPayload = payloadOf('createRepository', {
  repository: [() => Repository, 'Repository that was created.'],
});
const UpdateRepositoryPayload = payloadOf('updateRepository', {
  repository: [() => Repository, 'Repository with the changed settings.'],
});
const UpdateTopicsPayload = payloadOf('updateTopics', {
  repository: [() => Repository, 'Repository with the new topics.'],
});
const ArchiveRepositoryPayload = payloadOf('archiveRepository', {
  repository: [() => Repository, 'Repository, which is read-only now.'],
});
const UnarchiveRepositoryPayload = payloadOf('unarchiveRepository', {
  repository: [() => Repository, 'Repository, which can be changed again.'],
});
const DeleteRepositoryPayload = payloadOf('deleteRepository', {
  deletedId: [() => ID, 'Global id of the deleted repository.'],
});
const CloneTemplateRepositoryPayload = payloadOf('cloneTemplateRepository', {
  repository: [() => Repository, 'Repository that was created from the template.'],
});
const ForkRepositoryPayload = payloadOf('forkRepository', {
  repository: [() => Repository, 'Fork that was created, or that the owner has already.'],
});

interface RepositoryPayload {
  repository: OwnedRow;
}

/** Loads a repository after a write, as the caller sees it. */
export async function requireRepository(context: Context, id: number, wanted: Selection): Promise<OwnedRow> {
  const [found] = await repositoriesByIds(context, [id], wanted);
  if (!found) throw notFound();
  return found;
}

@Resolver()
export class RepositoryMutations {
  @Access('administration:write')
  @Mutation(() => CreateRepositoryPayload, { nullable: true, description: 'Creates a repository.' })
  async createRepository(
    @InputArg(() => CreateRepositoryInput) input: CreateRepositoryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryPayload> {
    if (input.teamId != null) throw badInput('teamId must be absent: there are no teams.', 'teamId');
    const { name, description, homepageUrl, defaultBranch, template, hasReadme } = input;
    const isPrivate = privacyOf(input);
    const create = hasReadme === true ? createWithReadme : createRepository;
    const id = await create(context, {
      ...{ name, description, defaultBranch, isPrivate, isTemplate: template },
      homepageUrl: homepageUrl || null,
      ownerId: await ownerNumber(context, input),
    });
    return readChanged(context, id, info);
  }

  @Access('administration:write')
  @Mutation(() => UpdateRepositoryPayload, { nullable: true, description: 'Updates the settings of a repository.' })
  async updateRepository(
    @InputArg(() => UpdateRepositoryInput) { repositoryId, template, ...input }: UpdateRepositoryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryPayload> {
    const homepageUrl = input.homepageUrl === '' ? null : input.homepageUrl;
    const change = { ...input, homepageUrl, isPrivate: privacyOf(input), isTemplate: template };
    return readChanged(
      context,
      await updateRepository(context, addressOfId(repositoryId, 'repositoryId'), change),
      info,
    );
  }

  @Access('administration:write')
  @Mutation(() => UpdateTopicsPayload, { nullable: true, description: 'Replaces the topics of a repository.' })
  async updateTopics(
    @InputArg(() => UpdateTopicsInput) { repositoryId, topicNames }: UpdateTopicsInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryPayload> {
    const id = await replaceTopics(context, addressOfId(repositoryId, 'repositoryId'), topicNames);
    return readChanged(context, id, info);
  }

  @Access('administration:write')
  @Mutation(() => ArchiveRepositoryPayload, {
    nullable: true,
    description: 'Archives a repository, which makes it read-only.',
  })
  async archiveRepository(
    @InputArg(() => ArchiveRepositoryInput) { repositoryId }: ArchiveRepositoryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryPayload> {
    return readChanged(context, await setArchived(context, addressOfId(repositoryId, 'repositoryId'), true), info);
  }

  @Access('administration:write')
  @Mutation(() => UnarchiveRepositoryPayload, { nullable: true, description: 'Makes a repository writable again.' })
  async unarchiveRepository(
    @InputArg(() => UnarchiveRepositoryInput) { repositoryId }: UnarchiveRepositoryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryPayload> {
    return readChanged(context, await setArchived(context, addressOfId(repositoryId, 'repositoryId'), false), info);
  }

  @Access('administration:write')
  @Mutation(() => DeleteRepositoryPayload, {
    nullable: true,
    description: 'Deletes a repository. The forks of a private repository are deleted as well.',
  })
  async deleteRepository(
    @InputArg(() => DeleteRepositoryInput) { repository }: DeleteRepositoryInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const id = await deleteRepository(context, addressOfRef(repository));
    return { deletedId: encodeGlobalId('Repository', id) };
  }

  @Access('administration:write')
  @Mutation(() => ForkRepositoryPayload, {
    nullable: true,
    description: 'Forks a repository with all its git data. Returns the existing fork if the owner has one.',
  })
  async forkRepository(
    @InputArg(() => ForkRepositoryInput) { repository, ...input }: ForkRepositoryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryPayload> {
    const ownerId = await ownerNumber(context, input);
    const id = await forkRepository(context, addressOfRef(repository), { ownerId, name: input.name });
    return readChanged(context, id, info);
  }

  @Access('administration:write')
  @Mutation(() => CloneTemplateRepositoryPayload, {
    nullable: true,
    description: 'Creates a repository with the files of a template, as one commit for each branch.',
  })
  async cloneTemplateRepository(
    @InputArg(() => CloneTemplateRepositoryInput) input: CloneTemplateRepositoryInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RepositoryPayload> {
    const { repositoryId, name, description, includeAllBranches } = input;
    const isPrivate = privacyOf(input);
    const settings = { name, description, includeAllBranches, isPrivate, ownerId: await ownerNumber(context, input) };
    const id = await createFromTemplate(context, addressOfId(repositoryId, 'repositoryId'), settings);
    return readChanged(context, id, info);
  }
}

/** The account that an input names as owner; undefined for none. @throws as `accountNumber` */
async function ownerNumber(
  context: Context,
  { ownerId }: { ownerId?: string | null | undefined },
): Promise<number | undefined> {
  return ownerId == null ? undefined : accountNumber(context, 'RepositoryOwner', ownerId, 'ownerId');
}

/** Whether a repository of this visibility is private; undefined for none. @throws 422 for `INTERNAL` */
function privacyOf({ visibility }: { visibility?: RepositoryVisibility | null | undefined }): boolean | undefined {
  if (visibility === RepositoryVisibility.INTERNAL) {
    const message = 'visibility must be public or private: internal is not offered.';
    throw validationFailed([{ resource: 'Repository', field: 'visibility', code: 'custom', message }]);
  }
  return visibility == null ? undefined : visibility === RepositoryVisibility.PRIVATE;
}

async function readChanged(context: Context, id: number, info: GraphQLResolveInfo): Promise<RepositoryPayload> {
  return { repository: await requireRepository(context, id, selectionBelow(info, 'repository')) };
}
