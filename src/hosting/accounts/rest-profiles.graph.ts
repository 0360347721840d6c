import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Info, Mutation, Resolver } from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { requireAccount } from './accounts.graph.ts';
import type { AccountRow } from './accounts.queries.ts';
import { callingUser } from './caller.ts';
import { updateProfile } from './update-profile.ts';

@ArgsType()
class ProfileArgs {
  @optionalField(() => String, 'Display name.') name?: string | null;
  @optionalField(() => String, 'Public e-mail address.') publicEmail?: string | null;
  @optionalField(() => String, 'Company as free text.') company?: string | null;
  @optionalField(() => String, 'URL of a website.') blog?: string | null;
  @optionalField(() => String, 'Location as free text.') location?: string | null;
  @optionalField(() => String, 'Biography of a user, or description of an organization.') bio?: string | null;
}

/** Profiles, with the parameters of REST. */
@Resolver()
export class RestProfileRoots {
  @RestOnly()
  @Access('profile:write')
  @Mutation(() => User, { description: "Changes the caller's profile." })
  async restUpdateViewer(
    @Args(() => ProfileArgs) change: ProfileArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    const { accountId } = callingUser(context.actor);
    await updateProfile(context, { accountId, kind: 'user' }, change);
    return requireAccount(context, accountId, selectionOf(info));
  }

  @RestOnly()
  @Access('org-administration:write')
  @Mutation(() => Organization, { description: 'Changes the profile of an organization.' })
  async restUpdateOrganization(
    @Arg('login', () => String, { description: 'Login of the organization.' }) login: string,
    @Args(() => ProfileArgs) change: ProfileArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow> {
    const found = await organizationFor(context, login, 'org-administration:write');
    if (!found) throw notFound();
    await updateProfile(context, { accountId: found.id, kind: 'organization' }, change);
    return requireAccount(context, found.id, selectionOf(info));
  }
}
