import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { Bool, Computed, Integer, Moment, Noun, Owner, PrimaryUuid, Text, Uuid } from '../vocabulary/columns.ts';
import { Cost } from '../vocabulary/cost.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Instant, UuidText } from '../vocabulary/scalars.ts';
import { Check, Index, Unique } from '../vocabulary/table-constraints.ts';
import { CommunityGroup } from './community-group.ts';
import { MiniUser } from './mini-user.ts';
import { User } from './user.ts';

@ObjectType({ description: 'Somebody one writes with.', simpleResolvers: true })
export class ChatParticipant extends MiniUser {
  @Computed(
    () => String,
    'E-mail address with all but its first letter and its domain hidden; empty when there is none.',
  )
  email!: string;
}

@ObjectType({ description: 'The newest message of a chat, in short.', simpleResolvers: true })
export class LastMessage {
  @Computed(() => String, 'The text; empty when it was deleted.')
  content!: string;

  @Computed(() => String, 'Who wrote it.')
  senderName!: string;

  @Computed(() => Instant, 'When it was sent.')
  timestamp!: string;
}

/** One row for two people, the lower number first. */
@Noun('private_chat', 'A chat of two people.')
@Unique<PrivateChat>('private_chat_pair', ['lowId', 'highId'])
@Index<PrivateChat>('private_chat_by_high', ['highId'])
@Check<PrivateChat>('private_chat_order', c => `${c.lowId} < ${c.highId}`)
export class PrivateChat {
  @PrimaryUuid()
  @Computed(() => UuidText, 'Identifier of the chat.')
  id!: string;

  @Owner(() => User, { onDelete: 'cascade' })
  lowId!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  highId!: number;

  @Computed(() => [ChatParticipant], 'The two, the caller first.')
  participants!: ChatParticipant[];

  @Computed(() => ChatParticipant, 'The other one.')
  peer!: ChatParticipant;

  @Computed(() => LastMessage, 'The newest message.', { null: true })
  lastMessage!: LastMessage | null;

  @Computed(() => Int, 'Messages of the other that the caller has not read; beyond 1,000 they are not counted.')
  unreadCount!: number;

  @Moment({ about: 'When it was begun.' })
  createdAt!: string;

  @Integer({ hidden: true, default: 0 })
  messageCount!: number;

  @Moment({ hidden: true, null: true })
  lastMessageAt!: string | null;
}

/** Up to where each of the two has read. */
@Entity({ tableName: 'private_chat_reader' })
@Index<PrivateChatReader>('private_chat_reader_by_chat', ['chatId'])
export class PrivateChatReader {
  @Owner(() => User, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => PrivateChat, { onDelete: 'cascade', key: true })
  chatId!: string;

  @Moment({ hidden: true })
  readAt!: string;
}

@Noun('chat_group', 'A chat of many people.')
@Index<ChatGroup>('chat_group_by_creator', ['creatorId'])
@Index<ChatGroup>('chat_group_of_community', ['communityId'], { unique: true })
@Index<ChatGroup>('chat_group_open', ['createdAt', 'id'], { where: c => `${c.isActive}` })
export class ChatGroup {
  @PrimaryUuid()
  @Computed(() => UuidText, 'Identifier of the group.')
  id!: string;

  @Text({ about: 'Name, 1 to 100 characters; several groups may have the same.' })
  name!: string;

  @Text({ about: 'What the group is for, at most 500 characters; may be empty.', default: '' })
  description!: string;

  @Cost(2)
  @Computed(() => [ChatParticipant], 'The first 50 of its members, by when they joined.')
  participants!: ChatParticipant[];

  @Integer({ about: 'How many members it has.', default: 0 })
  participantCount!: number;

  @Computed(() => LastMessage, 'The newest message; null for who is no member.', { null: true })
  lastMessage!: LastMessage | null;

  @Computed(() => Boolean, 'Whether the caller is a member.')
  isMember!: boolean;

  @Computed(() => Boolean, 'Whether the caller may remove members.')
  isAdmin!: boolean;

  @Bool({ about: 'Whether it can be joined: false once its last member has left.', default: true })
  isActive!: boolean;

  @Owner(() => CommunityGroup, { onDelete: 'cascade', null: true })
  communityId!: number | null;

  @Computed(() => GraphQLSafeInt, 'The community group that the chat belongs to.', { null: true })
  communityGroupId!: number | null;

  @Owner(() => User, { onDelete: 'set null', null: true })
  creatorId!: number | null;

  @Moment({ about: 'When it was made.' })
  createdAt!: string;

  @Integer({ hidden: true, default: 0 })
  messageCount!: number;

  @Moment({ hidden: true, null: true })
  lastMessageAt!: string | null;
}

@Entity({ tableName: 'chat_membership' })
@Index<ChatMembership>('chat_membership_by_time', ['groupId', 'joinedAt', 'userId'])
@Index<ChatMembership>('chat_membership_by_user', ['userId', 'groupId'])
export class ChatMembership {
  @Owner(() => ChatGroup, { onDelete: 'cascade', key: true })
  groupId!: string;

  @Owner(() => User, { onDelete: 'cascade', key: true })
  userId!: number;

  @Bool({ hidden: true, default: false })
  isAdmin!: boolean;

  @Moment({ hidden: true })
  joinedAt!: string;

  /** Up to where the member has read. */
  @Moment({ hidden: true })
  readAt!: string;
}

/** Somebody whom an admin removed: they do not come back. */
@Entity({ tableName: 'chat_ban' })
@Index<ChatBan>('chat_ban_by_user', ['userId'])
export class ChatBan {
  @Owner(() => ChatGroup, { onDelete: 'cascade', key: true })
  groupId!: string;

  @Owner(() => User, { onDelete: 'cascade', key: true })
  userId!: number;

  @Moment({ hidden: true })
  bannedAt!: string;
}

/** In a private chat or in a group, never in both. */
@Noun('chat_message', 'A message in a chat.')
@Index<ChatMessage>('chat_message_by_author', ['authorId', 'sentAt'])
@Index<ChatMessage>('chat_message_of_chat', ['chatId', 'sentAt', 'id'], { where: c => `${c.chatId} is not null` })
@Index<ChatMessage>('chat_message_of_group', ['groupId', 'sentAt', 'id'], { where: c => `${c.groupId} is not null` })
@Index<ChatMessage>('chat_message_once', ['authorId', 'clientId'], {
  unique: true,
  where: c => `${c.clientId} is not null`,
})
@Check<ChatMessage>('chat_message_place', c => `num_nonnulls(${c.chatId}, ${c.groupId}) = 1`)
export class ChatMessage {
  @PrimaryUuid()
  @Computed(() => UuidText, 'Identifier of the message.')
  id!: string;

  @Owner(() => PrivateChat, { onDelete: 'cascade', null: true })
  chatId!: string | null;

  @Owner(() => ChatGroup, { onDelete: 'cascade', null: true })
  groupId!: string | null;

  /** Null once the account is erased: what was said stays in the conversation, who said it does not. */
  @Owner(() => User, { onDelete: 'set null', null: true })
  authorId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Who wrote it; 0 where it is not told: erased accounts, and blocks.')
  senderId!: number;

  @Computed(() => String, 'Name of who wrote it; `Blocked user` where one of the two has blocked the other.')
  senderName!: string;

  @Computed(() => MiniUser, 'Who wrote it.')
  sender!: MiniUser;

  @Text({ about: 'The text, at most 4,000 characters; empty when it was deleted or its sender is blocked.' })
  content!: string;

  @Computed(() => Instant, 'When it was sent. No two messages of a chat have the same time.')
  timestamp!: string;

  @Computed(() => Boolean, 'Whether it was deleted: then its text is empty.')
  isDeleted!: boolean;

  @Computed(() => Boolean, 'Whether the caller wrote it.')
  isMine!: boolean;

  @Uuid({ hidden: true, null: true })
  clientId!: string | null;

  @Moment({ hidden: true })
  sentAt!: string;

  @Moment({ hidden: true, null: true })
  deletedAt!: string | null;
}

export const ChatMessagePage = pageOf('ChatMessagePage', () => ChatMessage, 'A page of messages.');

@ObjectType({ description: 'How joining or leaving a chat group ended.', simpleResolvers: true })
export class ChatStanding {
  @Computed(() => String, 'What was done, in a sentence for people.')
  detail!: string;

  @Computed(() => Boolean, 'Whether the caller is a member now.')
  isMember!: boolean;

  @Computed(() => Int, 'How many members the group has now.')
  participantCount!: number;
}

@ObjectType({ description: 'Somebody the caller can write to.', simpleResolvers: true })
export class ChatUser extends ChatParticipant {
  @Computed(() => UuidText, 'The private chat of the two; null before there is one.', { null: true })
  chatId!: string | null;

  @Computed(() => GraphQLSafeInt, 'The connection of the two.')
  connectionId!: number;
}
