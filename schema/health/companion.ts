import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { User } from './user.ts';

export const CompanionRole = { USER: 'user', ASSISTANT: 'assistant' } as const;
export type CompanionRole = (typeof CompanionRole)[keyof typeof CompanionRole];
registerEnumType(CompanionRole, {
  name: 'CompanionRole',
  description: 'Who says something: the person or the companion.',
});

export const SafetyLevel = { NONE: 'none', URGENT: 'urgent', CRISIS: 'crisis' } as const;
export type SafetyLevel = (typeof SafetyLevel)[keyof typeof SafetyLevel];
registerEnumType(SafetyLevel, {
  name: 'SafetyLevel',
  description:
    'What a message sounds like: nothing that cannot wait, something a doctor should see soon or at once, or somebody in danger from themselves or another.',
});

export const CompanionEngine = { RETRIEVAL: 'retrieval', MODEL: 'model' } as const;
export type CompanionEngine = (typeof CompanionEngine)[keyof typeof CompanionEngine];
registerEnumType(CompanionEngine, {
  name: 'CompanionEngine',
  description: 'What wrote an answer: quoted from the articles and from fixed texts, or by a language model.',
});

@Noun('companion_message', 'One turn of a conversation with the companion.')
@Index<CompanionMessage>('companion_message_by_time', ['createdAt'], { using: 'brin' })
@Index<CompanionMessage>('companion_message_by_user', ['userId', 'id'])
@Check<CompanionMessage>('companion_message_role', c => `${c.role} in ('user', 'assistant')`)
@Check<CompanionMessage>('companion_message_safety', c => `${c.safety} in ('none', 'urgent', 'crisis')`)
export class CompanionMessage {
  @Key('Number of the turn; later turns have higher ones.')
  id!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  userId!: number;

  @Choice(() => CompanionRole, { about: 'Who said it.' })
  role!: CompanionRole;

  @Text({ about: 'What was said.' })
  content!: string;

  /** Of the message that opened the exchange, on both of its turns. */
  @Choice(() => SafetyLevel, { hidden: true })
  safety!: SafetyLevel;

  @Moment({ about: 'When it was said.' })
  createdAt!: string;
}

@ObjectType({ description: 'An article that an answer rests on.', simpleResolvers: true })
export class CompanionSource {
  @Computed(() => GraphQLSafeInt, 'Number of the article.')
  articleId!: number;

  @Computed(() => String, 'Title of the article.')
  headline!: string;

  @Computed(() => String, 'Absolute address: at its publisher where it has one there, otherwise here.')
  url!: string;
}

@ObjectType({ description: 'Somewhere to turn to.', simpleResolvers: true })
export class CrisisResource {
  @Computed(() => String, 'What it is.')
  name!: string;

  @Computed(() => String, 'A telephone number, an address, or what to do.')
  contact!: string;
}

@ObjectType({ description: 'What was noticed about a message, and where to turn to.', simpleResolvers: true })
export class SafetyNotice {
  @Computed(() => SafetyLevel, 'How pressing it is.')
  level!: string;

  @Computed(() => [CrisisResource], 'Where to turn to; empty unless it is pressing.')
  resources!: CrisisResource[];
}

@ObjectType({ description: 'An answer of the companion. It is a program and no clinician.', simpleResolvers: true })
export class CompanionAnswer {
  @Computed(() => GraphQLSafeInt, 'Number of the turn that holds the answer.')
  id!: number;

  @Computed(
    () => String,
    'The answer in Markdown of the plainest kind: paragraphs, lists and [1] for the first source.',
  )
  reply!: string;

  @Computed(() => String, 'The message as it was stored.')
  userMessage!: string;

  @Computed(() => Instant, 'When the answer was given.')
  createdAt!: Date;

  @Computed(() => [CompanionSource], 'What the answer rests on, in the order of its numbers.')
  sources!: CompanionSource[];

  @Computed(() => SafetyNotice, 'What was noticed about the message.')
  safety!: SafetyNotice;

  @Computed(() => String, 'What the answer is and is not; the reply ends with it as well, unless it is a fixed text.')
  disclaimer!: string;

  @Computed(() => CompanionEngine, 'What wrote the answer.')
  engine!: string;
}
