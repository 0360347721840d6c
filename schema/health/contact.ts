import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { longPageSize } from '../vocabulary/page-size.ts';
import { UuidText } from '../vocabulary/scalars.ts';
import { PersonCard } from './person-card.ts';

/** `src/health/community/contacts.graph.ts` adds the peer link and the chat. */
@ObjectType({ description: 'Person that you are connected with and can write to.', simpleResolvers: true })
export class Contact {
  @Computed(() => PersonCard, 'Person that you are connected with.')
  person!: PersonCard;

  @Computed(() => String, 'E-mail address, masked except for the first letter and the domain; empty for none.')
  maskedEmail!: string;

  @Computed(() => UuidText, 'UUID of the private chat; null for none.', { null: true })
  chatUuid!: string | null;

  @Computed(() => GraphQLSafeInt, 'Number of the peer link.')
  peerLinkDatabaseId!: number;
}

export const ContactConnection = connectionOf('Contact', () => Contact, 'contacts', { maxPageSize: longPageSize });
