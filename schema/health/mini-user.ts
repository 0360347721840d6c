import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

/** The part of a person that is visible to others. */
@ObjectType({
  description: 'Person as others see them, without data of deleted accounts.',
  simpleResolvers: true,
})
export class MiniUser {
  @Computed(() => GraphQLSafeInt, 'Number of the account; 0 where it is withheld.')
  id!: number;

  @Computed(() => String, 'First and last name; `Deleted user` for a deleted account.')
  fullName!: string;

  @Computed(() => String, 'Absolute URL of the picture; null for none.', { null: true })
  profilePicture!: string | null;
}
