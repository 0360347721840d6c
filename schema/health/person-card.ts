import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { RestOnly } from '../vocabulary/rest-only.ts';

/** The part of a person that others see. `src/health/people/person-card.graph.ts` adds the global id. */
@ObjectType({
  description: 'Person as shown to you, without data of deleted accounts.',
  simpleResolvers: true,
})
export class PersonCard {
  @RestOnly()
  @Computed(() => GraphQLSafeInt, 'Number of the account; 0 where it is withheld.')
  databaseId!: number;

  @Computed(
    () => String,
    'First and last name. `Deleted user` for a deleted account, `Blocked user` where a block hides the name.',
  )
  fullName!: string;

  @Computed(() => String, 'Absolute URL of the picture; null for none.', { null: true })
  profilePicture!: string | null;

  /** Participants of chats only. */
  @RestOnly()
  @Computed(() => String, 'E-mail address, masked except for the first letter and the domain; empty for none.')
  maskedEmail?: string;

  /** Suggested people only. */
  @RestOnly()
  @Computed(() => Int, 'Age in years; null without a date of birth.', { null: true })
  age?: number | null;
}

export const PersonCardConnection = connectionOf('PersonCard', () => PersonCard, 'people');
