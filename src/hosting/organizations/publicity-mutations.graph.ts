import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { type OrganizationPayload, organizationField, organizationPayload } from './organizations.graph.ts';
import { setPublicity } from './set-publicity.ts';

@InputType()
class OwnMembershipInput {
  @Field(() => ID, { description: 'Organization that you are a member of.' }) organizationId!: string;
  @optionalField(() => ID, 'User, who must be the caller.') userId?: string | null;
}

@InputType({ description: 'Input of `publishOrganizationMembership`.' })
class PublishOrganizationMembershipInput extends OwnMembershipInput {}

@InputType({ description: 'Input of `concealOrganizationMembership`.' })
class ConcealOrganizationMembershipInput extends OwnMembershipInput {}

const PublishOrganizationMembershipPayload = payloadOf(
  'publishOrganizationMembership',
  organizationField('Organization of the membership.'),
);
const ConcealOrganizationMembershipPayload = payloadOf(
  'concealOrganizationMembership',
  organizationField('Organization of the membership.'),
);

@Resolver()
export class PublicityMutations {
  @Access('profile:write')
  @Mutation(() => PublishOrganizationMembershipPayload, {
    nullable: true,
    description: 'Publishes your membership in an organization.',
  })
  async publishOrganizationMembership(
    @InputArg(() => PublishOrganizationMembershipInput) input: PublishOrganizationMembershipInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationPayload> {
    return organizationPayload(context, await setPublicity(context, input, true), info);
  }

  @Access('profile:write')
  @Mutation(() => ConcealOrganizationMembershipPayload, {
    nullable: true,
    description: 'Hides your membership in an organization from others than its members.',
  })
  async concealOrganizationMembership(
    @InputArg(() => ConcealOrganizationMembershipInput) input: ConcealOrganizationMembershipInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OrganizationPayload> {
    return organizationPayload(context, await setPublicity(context, input, false), info);
  }
}
