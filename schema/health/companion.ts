import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { ListSize } from '../vocabulary/list-size.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Uri } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';
import { SafetyLevel, SafetyNotice } from './safety-notice.ts';

export const CompanionRole = { USER: 'user', ASSISTANT: 'assistant' } as const;
export type CompanionRole = (typeof CompanionRole)[keyof typeof CompanionRole];
registerEnumType(CompanionRole, {
  name: 'CompanionRole',
  description: 'Author of a turn: the user or the companion.',
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
@Personal({
  what: 'Conversation with the companion',
  purpose: 'continue it, and let you read it again',
  kept: '365 days (`AI_RETENTION_DAYS`), at most 1,000 messages, or until you delete it',
  seenBy: 'a language model: with your consent; never what you wrote in a crisis',
  inExport: ['companion_messages'],
})
@Retained<CompanionMessage>({
  rows: '`AI_RETENTION_DAYS` days, or until the person deletes them',
  job: 'account-housekeeping',
})
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

@ObjectType({ description: 'Last turns of a conversation with the companion.', simpleResolvers: true })
export class CompanionHistory {
  @ListSize(200)
  @Computed(() => [CompanionMessage], 'Turns, the oldest first, at most 500.')
  messages!: CompanionMessage[];
}

/** A turn as its owner reads it; the time of one that was just stored is a Date. */
export type CompanionTurn = Pick<CompanionMessage, 'id' | 'role' | 'text'> & {
  databaseId: number;
  createdAt: string | Date;
};

@ObjectType({ description: 'Article cited by an answer.', simpleResolvers: true })
export class CompanionSource {
  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleDatabaseId!: number;

  @Computed(() => String, 'Title of the article.')
  headline!: string;

  @Computed(() => Uri, 'Absolute URL: at the publisher where there is one, otherwise at this service.')
  url!: string;
}

@ObjectType({ description: 'Assessment that can follow a message about symptoms.', simpleResolvers: true })
export class SuggestedAssessment {
  @ListSize(5)
  @Computed(() => [String], 'Symptoms as `createAssessment` takes them, at most 5: sentences of the message.')
  symptoms!: string[];
}

@ObjectType({ description: 'Answer of the companion, which is a program and not a clinician.', simpleResolvers: true })
export class CompanionAnswer {
  @Computed(() => CompanionMessage, 'Turn of the person: the message as it was stored.')
  question!: CompanionTurn;

  @Computed(() => CompanionMessage, 'Turn of the companion; its citation [1] is the first source.')
  message!: CompanionTurn;

  @Computed(() => [CompanionSource], 'Sources in the order of their citation numbers.')
  sources!: CompanionSource[];

  @Computed(() => SafetyNotice, 'Safety level of the message, with contacts for help.')
  safety!: SafetyNotice;

  @Computed(() => String, 'Disclaimer; it also ends the text of the message, except for fixed texts.')
  disclaimer!: string;

  @Computed(() => CompanionEngine, 'Engine that wrote the answer.')
  engine!: CompanionEngine;

  @Computed(() => SuggestedAssessment, 'Assessment of the symptoms of the message; null where it tells of none.', {
    null: true,
  })
  assessment!: SuggestedAssessment | null;
}
