import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

/** What anybody who meets a person may see of them, and nothing more. */
@ObjectType({
  description: 'A person as others see them. Of a deleted account nothing but that it was one.',
  simpleResolvers: true,
})
export class MiniUser {
  @Computed(() => GraphQLSafeInt, 'Number of the account; 0 where it is not told.')
  id!: number;

  @Computed(() => String, 'First and last name; `Deleted user` once the account is deleted.')
  fullName!: string;

  @Computed(() => String, 'Absolute address of the picture.', { null: true })
  profilePicture!: string | null;
}
