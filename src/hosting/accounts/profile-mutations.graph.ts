import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { selectionBelow } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { lineLimits } from '../text-problems.ts';
import { organizationOfId } from './account-ref.ts';
import { requireAccount, type UserPayload, userPayload } from './accounts.graph.ts';
import type { AccountRow } from './accounts.queries.ts';
import { callingUser } from './caller.ts';
import { renameAccount } from './rename-account.ts';
import { updateProfile } from './update-profile.ts';

@InputType({ description: 'Input of `renameViewer`.' })
class RenameViewerInput {
  @Field(() => String, { description: 'Your new login, at most 39 characters.' }) login!: string;
}

/** Absent fields stay unchanged; null and empty ones are removed. */
@InputType()
class ProfileInput {
  @Limits(lineLimits.line)
  @optionalField(() => String, 'Display name; empty or null for none.')
  name?: string | null;
  @Limits(lineLimits.line)
  @optionalField(() => String, 'Public e-mail address; empty or null for none.')
  publicEmail?: string | null;
  @Limits(lineLimits.line)
  @optionalField(() => String, 'Company; empty or null for none.')
  company?: string | null;
  @Limits(lineLimits.address)
  @optionalField(() => String, 'URL of a website; empty or null for none.')
  websiteUrl?: string | null;
  @Limits(lineLimits.line)
  @optionalField(() => String, 'Location; empty or null for none.')
  location?: string | null;
}

@InputType({ description: 'Input of `updateViewer`. What is absent stays unchanged.' })
class UpdateViewerInput extends ProfileInput {
  @Limits(lineLimits.description)
  @optionalField(() => String, 'Biography; empty or null for none.')
  bio?: string | null;
}

@InputType({ description: 'Input of `updateOrganization`. What is absent stays unchanged.' })
class UpdateOrganizationInput extends ProfileInput {
  @Field(() => ID, { description: 'Organization to change.' }) organizationId!: string;
  @Limits(lineLimits.description)
  @optionalField(() => String, 'Description; empty or null for none.')
  description?: string | null;
}

const RenameViewerPayload = payloadOf('renameViewer', { user: [() => User, 'You, under the new login.'] });
const UpdateViewerPayload = payloadOf('updateViewer', { user: [() => User, 'You, with the changed profile.'] });
const UpdateOrganizationPayload = payloadOf('updateOrganization', {
  organization: [() => Organization, 'Organization with the changed profile.'],
});

@Resolver()
export class ProfileMutations {
  @Access('profile:write')
  @Mutation(() => RenameViewerPayload, {
    nullable: true,
    description: 'Renames you. The old login redirects until another account takes it.',
  })
  async renameViewer(
    @InputArg(() => RenameViewerInput) input: RenameViewerInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    const { accountId } = callingUser(context.actor);
    await renameAccount(context, accountId, input.login);
    return userPayload(context, accountId, info);
  }

  @Access('profile:write')
  @Mutation(() => UpdateViewerPayload, { nullable: true, description: 'Changes your profile.' })
  async updateViewer(
    @InputArg(() => UpdateViewerInput) { websiteUrl, ...change }: UpdateViewerInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    const { accountId } = callingUser(context.actor);
    await updateProfile(context, { accountId, kind: 'user' }, { ...change, blog: websiteUrl });
    return userPayload(context, accountId, info);
  }

  @Access('org-administration:write')
  @Mutation(() => UpdateOrganizationPayload, {
    nullable: true,
    description: 'Changes the profile of an organization that you administer.',
  })
  async updateOrganization(
    @InputArg(() => UpdateOrganizationInput) input: UpdateOrganizationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ organization: AccountRow }> {
    const { organizationId, websiteUrl, description, ...change } = input;
    const found = await organizationFor(context, organizationOfId(organizationId), 'org-administration:write');
    if (!found) throw notFound();
    const profile = { ...change, blog: websiteUrl, bio: description };
    await updateProfile(context, { accountId: found.id, kind: 'organization' }, profile);
    return { organization: await requireAccount(context, found.id, selectionBelow(info, 'organization')) };
  }
}
