import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

@ObjectType({ description: 'What anybody may see of a person beside what the person wrote.', simpleResolvers: true })
export class PersonCard {
  @Computed(() => GraphQLSafeInt, 'Number of the account.')
  id!: number;

  @Computed(() => String, 'First and last name; `Deleted user` once the account is deleted.')
  fullName!: string;

  @Computed(() => String, 'Absolute address of the picture.', { null: true })
  profilePicture!: string | null;
}
