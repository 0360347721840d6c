import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';

/** The part of a person that others see. `src/health/people/person-card.graph.ts` adds the global id. */
@ObjectType({
  description: 'Person as shown to you, without data of deleted accounts.',
  simpleResolvers: true,
})
export class PersonCard {
  @Computed(() => GraphQLSafeInt, 'Number of the account; 0 where it is withheld.')
  databaseId!: number;

  @Computed(
    () => String,
    'Display name, or first and last name. People who are not connected see the first letter of the last. `Deleted user` for a deleted account, `Blocked user` where a block or the age hides the name.',
  )
  fullName!: string;

  @Computed(() => String, 'Absolute URL of the picture; null for none.', { null: true })
  profilePicture!: string | null;

  @Computed(
    () => String,
    'Masked e-mail address of a participant of your chats; empty elsewhere. Connected people see first letter and domain.',
  )
  maskedEmail?: string;

  @Computed(() => Int, 'Always null: `ageBand` tells about the age.', {
    null: true,
  })
  age?: number | null;

  @Computed(
    () => String,
    'Ten years of age of a suggested person, such as `30-39`; null elsewhere. `under 18`, and `18 or over` without a date of birth.',
    { null: true },
  )
  ageBand?: string | null;
}

export const PersonCardConnection = connectionOf('PersonCard', () => PersonCard, 'people');
