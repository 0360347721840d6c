import { Field, InputType, registerEnumType } from 'type-graphql';
import { OrderDirection } from '../vocabulary/order-direction.ts';

export const RepositoryVisibility = { PUBLIC: 'public', PRIVATE: 'private', INTERNAL: 'internal' } as const;
export type RepositoryVisibility = (typeof RepositoryVisibility)[keyof typeof RepositoryVisibility];
registerEnumType(RepositoryVisibility, {
  name: 'RepositoryVisibility',
  description: 'Visibility of a repository.',
  valuesConfig: {
    PUBLIC: { description: 'Everybody can see the repository.' },
    PRIVATE: { description: 'The owner, members and collaborators can see the repository.' },
    INTERNAL: { description: 'Accepted as a filter; no repository has it.' },
  },
});

export const RepositoryPrivacy = { PUBLIC: 'public', PRIVATE: 'private' } as const;
export type RepositoryPrivacy = (typeof RepositoryPrivacy)[keyof typeof RepositoryPrivacy];
registerEnumType(RepositoryPrivacy, { name: 'RepositoryPrivacy', description: 'Filter by visibility.' });

export const RepositoryAffiliation = {
  OWNER: 'owner',
  COLLABORATOR: 'collaborator',
  ORGANIZATION_MEMBER: 'organization_member',
} as const;
export type RepositoryAffiliation = (typeof RepositoryAffiliation)[keyof typeof RepositoryAffiliation];
registerEnumType(RepositoryAffiliation, {
  name: 'RepositoryAffiliation',
  description: 'Relation of an account to a repository.',
  valuesConfig: {
    OWNER: { description: 'The account owns the repository.' },
    COLLABORATOR: { description: 'The account is a collaborator of the repository.' },
    ORGANIZATION_MEMBER: { description: 'The account is a member of the organization that owns the repository.' },
  },
});

export const RepositoryOrderField = {
  CREATED_AT: 'created_at',
  UPDATED_AT: 'updated_at',
  PUSHED_AT: 'pushed_at',
  NAME: 'name',
  NAME_WITH_OWNER: 'name_with_owner',
  STARGAZERS: 'stargazers',
} as const;
export type RepositoryOrderField = (typeof RepositoryOrderField)[keyof typeof RepositoryOrderField];
registerEnumType(RepositoryOrderField, {
  name: 'RepositoryOrderField',
  description: 'Key of an order of repositories.',
  valuesConfig: { NAME_WITH_OWNER: { description: 'Login of the owner, then the name.' } },
});

@InputType({ description: 'Order of repositories; ties are broken by number.' })
export class RepositoryOrder {
  @Field(() => RepositoryOrderField, { description: 'Property that repositories are ordered by.' })
  field!: RepositoryOrderField;
  @Field(() => OrderDirection, { description: 'Direction of the order of repositories.' }) direction!: OrderDirection;
}
