import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { RestOnly } from '../vocabulary/rest-only.ts';
import { DateTime, Uri } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

export const CompanionRole = { USER: 'user', ASSISTANT: 'assistant' } as const;
export type CompanionRole = (typeof CompanionRole)[keyof typeof CompanionRole];
registerEnumType(CompanionRole, {
  name: 'CompanionRole',
  description: 'Author of a turn: the user or the companion.',
});

export const SafetyLevel = { NONE: 'none', URGENT: 'urgent', CRISIS: 'crisis' } as const;
export type SafetyLevel = (typeof SafetyLevel)[keyof typeof SafetyLevel];
registerEnumType(SafetyLevel, {
  name: 'SafetyLevel',
  description:
    'Safety level of a message. `URGENT`: medical care is needed soon or at once. `CRISIS`: a person is in danger of harm.',
});

export const CompanionEngine = { RETRIEVAL: 'retrieval', MODEL: 'model' } as const;
export type CompanionEngine = (typeof CompanionEngine)[keyof typeof CompanionEngine];
registerEnumType(CompanionEngine, {
  name: 'CompanionEngine',
  description: 'Engine that wrote an answer: retrieval from articles and fixed texts, or a language model.',
});

@Noun('companion_message', 'Turn of a conversation with the companion.')
@Index<CompanionMessage>('companion_message_by_time', ['createdAt'], { using: 'brin' })
@Index<CompanionMessage>('companion_message_by_user', ['userId', 'id'])
@Check<CompanionMessage>('companion_message_role', c => `${c.role} in ('user', 'assistant')`)
@Check<CompanionMessage>('companion_message_safety', c => `${c.safety} in ('none', 'urgent', 'crisis')`)
export class CompanionMessage {
  /** Increases with time. */
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Choice(() => CompanionRole, { about: 'Author of the turn.' })
  role!: CompanionRole;

  @Text({
    about: 'Text; of an answer Markdown limited to paragraphs, lists and citations such as [1].',
    column: 'content',
  })
  text!: string;

  /** Level of the user's message, stored on both turns of the exchange. */
  @Choice(() => SafetyLevel, { hidden: true })
  safety!: SafetyLevel;

  @Moment({ about: 'When the turn was sent.' })
  createdAt!: string;
}

export const CompanionMessageConnection = connectionOf(
  'CompanionMessage',
  () => CompanionMessage,
  'turns of a conversation with the companion',
);

/** A turn as its owner reads it; the time of one that was just stored is a Date. */
export type CompanionTurn = Pick<CompanionMessage, 'id' | 'role' | 'text'> & {
  databaseId: number;
  createdAt: string | Date;
};

@ObjectType({ description: 'Article cited by an answer.', simpleResolvers: true })
export class CompanionSource {
  @RestOnly()
  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleId!: number;

  @Computed(() => String, 'Title of the article.')
  headline!: string;

  @Computed(() => Uri, 'Absolute URL: at the publisher where there is one, otherwise at this service.')
  url!: string;
}

@ObjectType({ description: 'Contact for help.', simpleResolvers: true })
export class CrisisResource {
  @Computed(() => String, 'Name of the contact.')
  name!: string;

  @Computed(() => String, 'Telephone number, address or instruction.')
  contact!: string;
}

@ObjectType({ description: 'Safety level of a message, with contacts for help.', simpleResolvers: true })
export class SafetyNotice {
  @Computed(() => SafetyLevel, 'Safety level.')
  level!: SafetyLevel;

  @Computed(() => [CrisisResource], 'Contacts for help; empty for the level `NONE`.')
  resources!: CrisisResource[];
}

@ObjectType({ description: 'Answer of the companion, which is a program and not a clinician.', simpleResolvers: true })
export class CompanionAnswer {
  @Computed(() => CompanionMessage, 'Turn of the person: the message as it was stored.')
  question!: CompanionTurn;

  @Computed(() => CompanionMessage, 'Turn of the companion; its citation [1] is the first source.')
  message!: CompanionTurn;

  @RestOnly()
  @Computed(() => GraphQLSafeInt, 'Number of the turn of the companion.')
  id!: number;

  @RestOnly()
  @Computed(() => String, 'Text of the turn of the companion.')
  reply!: string;

  @RestOnly()
  @Computed(() => String, 'Text of the turn of the person.')
  userMessage!: string;

  @RestOnly()
  @Computed(() => DateTime, 'Time of the turn of the companion.')
  createdAt!: Date;

  @Computed(() => [CompanionSource], 'Sources in the order of their citation numbers.')
  sources!: CompanionSource[];

  @Computed(() => SafetyNotice, 'Safety level of the message, with contacts for help.')
  safety!: SafetyNotice;

  @Computed(() => String, 'Disclaimer; it also ends the text of the message, except for fixed texts.')
  disclaimer!: string;

  @Computed(() => CompanionEngine, 'Engine that wrote the answer.')
  engine!: CompanionEngine;
}
