import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { Bool, Computed, Integer, Moment, Noun, Owner, PrimaryUuid, Text, Uuid } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Cost } from '../vocabulary/cost.ts';
import { DateTime, UuidText } from '../vocabulary/scalars.ts';
import { Check, Index, Unique } from '../vocabulary/table-constraints.ts';
import { CommunityGroup } from './community-group.ts';
import { MiniUser } from './mini-user.ts';
import { Person } from './person.ts';

@ObjectType({ description: 'Participant of a chat.', simpleResolvers: true })
export class ChatParticipant extends MiniUser {
  @Computed(() => String, 'E-mail address, masked except for the first letter and the domain; empty for none.')
  email!: string;
}

@ObjectType({ description: 'Newest message of a chat, abridged.', simpleResolvers: true })
export class LastMessage {
  @Computed(() => String, 'Text; empty for a deleted message.')
  content!: string;

  @Computed(() => String, 'Author.')
  senderName!: string;

  @Computed(() => DateTime, 'Time of sending.')
  timestamp!: string;
}

/** One row for two people; `lowId` is the lower of their ids. */
@Noun('private_chat', 'Private chat of two people.')
@Unique<PrivateChat>('private_chat_pair', ['lowId', 'highId'])
@Index<PrivateChat>('private_chat_by_high', ['highId'])
@Check<PrivateChat>('private_chat_order', c => `${c.lowId} < ${c.highId}`)
export class PrivateChat {
  @PrimaryUuid()
  @Computed(() => UuidText, 'Identifier of the chat.')
  id!: string;

  @Owner(() => Person, { onDelete: 'cascade' })
  lowId!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  highId!: number;

  @Computed(() => [ChatParticipant], 'Both participants, the caller first.')
  participants!: ChatParticipant[];

  @Computed(() => ChatParticipant, 'Participant who is not the caller.')
  peer!: ChatParticipant;

  @Computed(() => LastMessage, 'Newest message; null for a chat without messages.', { null: true })
  lastMessage!: LastMessage | null;

  @Computed(() => Int, 'Number of unread messages of the other participant, at most 1,000.')
  unreadCount!: number;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Integer({ hidden: true, default: 0 })
  messageCount!: number;

  @Moment({ hidden: true, null: true })
  lastMessageAt!: string | null;
}

/** Read position of each of the two participants. */
@Entity({ tableName: 'private_chat_reader' })
@Index<PrivateChatReader>('private_chat_reader_by_chat', ['chatId'])
export class PrivateChatReader {
  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => PrivateChat, { onDelete: 'cascade', key: true })
  chatId!: string;

  @Moment({ hidden: true })
  readAt!: string;
}

@Noun('chat_group', 'Chat of a group.')
@Index<ChatGroup>('chat_group_by_creator', ['creatorId'])
@Index<ChatGroup>('chat_group_of_community', ['communityId'], { unique: true })
@Index<ChatGroup>('chat_group_open', ['createdAt', 'id'], { where: c => `${c.isActive}` })
export class ChatGroup {
  @PrimaryUuid()
  @Computed(() => UuidText, 'Identifier of the group.')
  id!: string;

  @Text({ about: 'Name, 1 to 100 characters, not unique.' })
  name!: string;

  @Text({ about: 'Description, at most 500 characters; may be empty.', default: '' })
  description!: string;

  @Cost(2)
  @Computed(() => [ChatParticipant], 'Members ordered by time of joining, at most 50.')
  participants!: ChatParticipant[];

  @Integer({ about: 'Number of members.', default: 0 })
  participantCount!: number;

  @Computed(() => LastMessage, 'Newest message; null for callers who are not members.', { null: true })
  lastMessage!: LastMessage | null;

  @Computed(() => Boolean, 'Whether the caller is a member.')
  isMember!: boolean;

  @Computed(() => Boolean, 'Whether the caller may remove members.')
  isAdmin!: boolean;

  @Bool({ about: 'Whether the group can be joined: false after its last member has left.', default: true })
  isActive!: boolean;

  @Owner(() => CommunityGroup, { onDelete: 'cascade', null: true })
  communityId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Number of the community group that the chat belongs to; null for none.', {
    null: true,
  })
  communityGroupId!: number | null;

  @Owner(() => Person, { onDelete: 'set null', null: true })
  creatorId!: number | null;

  @Moment({ about: 'Time of creation.' })
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

  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Bool({ hidden: true, default: false })
  isAdmin!: boolean;

  @Moment({ hidden: true })
  joinedAt!: string;

  /** Messages sent up to this time count as read. */
  @Moment({ hidden: true })
  readAt!: string;
}

/** Person whom an admin removed from a group, and who cannot join it again. */
@Entity({ tableName: 'chat_ban' })
@Index<ChatBan>('chat_ban_by_user', ['userId'])
export class ChatBan {
  @Owner(() => ChatGroup, { onDelete: 'cascade', key: true })
  groupId!: string;

  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Moment({ hidden: true })
  bannedAt!: string;
}

/** Belongs to a private chat or to a group, never to both. */
@Noun('chat_message', 'Message of a chat.')
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

  /** Null once the account is erased: the message stays, its author does not. */
  @Owner(() => Person, { onDelete: 'set null', null: true })
  authorId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Number of the author; 0 for erased accounts and across a block.')
  senderId!: number;

  @Computed(() => String, 'Name of the author; `Blocked user` across a block.')
  senderName!: string;

  @Computed(() => MiniUser, 'Author.')
  sender!: MiniUser;

  @Text({ about: 'Text, at most 4,000 characters; empty for a deleted message and across a block.' })
  content!: string;

  @Computed(() => DateTime, 'Time of sending, unique within the chat.')
  timestamp!: string;

  @Computed(() => Boolean, 'Whether the message was deleted; its text is then empty.')
  isDeleted!: boolean;

  @Computed(() => Boolean, 'Whether the caller is the author.')
  isMine!: boolean;

  @Uuid({ hidden: true, null: true })
  clientId!: string | null;

  @Moment({ hidden: true })
  sentAt!: string;

  @Moment({ hidden: true, null: true })
  deletedAt!: string | null;
}

export const ChatMessageConnection = connectionOf('ChatMessage', () => ChatMessage, 'messages');

@ObjectType({ description: 'Result of joining or leaving a chat group.', simpleResolvers: true })
export class ChatStanding {
  @Computed(() => String, 'Outcome as a sentence for users.')
  detail!: string;

  @Computed(() => Boolean, 'Whether the caller is a member now.')
  isMember!: boolean;

  @Computed(() => Int, 'Number of members of the group now.')
  participantCount!: number;
}
