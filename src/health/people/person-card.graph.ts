import { FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { PersonCard } from '../../../schema/health/person-card.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { PersonCardRow } from './person-card.ts';

@Resolver(() => PersonCard)
export class PersonCardFields {
  @FieldResolver(() => ID, {
    nullable: true,
    description: 'Global id of the person, for mutations; null where it is withheld.',
  })
  personId(@Root() { databaseId }: PersonCardRow): string | null {
    return databaseId === 0 ? null : encodeGlobalId('Person', databaseId);
  }

  @FieldResolver()
  maskedEmail(@Root() { maskedEmail = '' }: PersonCardRow): string {
    return maskedEmail;
  }
}
