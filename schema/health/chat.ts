import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ID, Int, InterfaceType, ObjectType } from 'type-graphql';
import {
  Bool,
  Choice,
  Computed,
  Integer,
  Moment,
  Noun,
  Owner,
  PrimaryUuid,
  Text,
  Uuid,
} from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Cost } from '../vocabulary/cost.ts';
import { ListSize } from '../vocabulary/list-size.ts';
import { longPageSize } from '../vocabulary/page-size.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { sortOrder } from '../vocabulary/sort-order.ts';
import { Check, Index, Unique } from '../vocabulary/table-constraints.ts';
import { CommunityGroup } from './community-group.ts';
import { GroupVisibility } from './group-visibility.ts';
import { Person } from './person.ts';
import { PersonCard } from './person-card.ts';

/** `src/health/chat/chats.graph.ts` adds the messages. */
@InterfaceType({ description: 'Private chat or chat group.' })
export abstract class Chat {
  @Field(() => ID, { description: 'Global id of the chat. Pass it to `node(id:)`.' })
  id!: string;

  @Computed(() => Int, 'Number of unread messages of others, at most 1,000; 0 unless you are in the chat.')
  unreadCount!: number;

  @Computed(() => ChatMessage, 'Newest message; null for none, and unless you are in the chat.', { null: true })
  lastMessage!: ChatMessage | null;

  @Computed(() => DateTime, 'Time of creation.')
  createdAt!: string;
}

/** One row for two people; `lowId` is the lower of their ids. */
@Noun('private_chat', 'Private chat of two people.', { implements: [Chat] })
@Unique<PrivateChat>('private_chat_pair', ['lowId', 'highId'])
@Index<PrivateChat>('private_chat_by_high', ['highId'])
@Check<PrivateChat>('private_chat_order', c => `${c.lowId} < ${c.highId}`)
@Personal({
  what: 'Private chats: who writes with whom',
  purpose: 'keep the messages of two people together',
  kept: 'as long as the other account',
  seenBy: 'the other person',
  inExport: 'Each message has the number of its chat.',
  left: 'the chat, with a deleted person, because the other one keeps it',
})
export class PrivateChat {
  @PrimaryUuid()
  id!: string;

  @Owner(() => Person, { onDelete: 'cascade' })
  lowId!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  highId!: number;

  @ListSize(2)
  @Computed(() => [PersonCard], 'Both participants, you first.')
  participants!: PersonCard[];

  @Computed(() => PersonCard, 'Participant who is not you.')
  peer!: PersonCard;

  @Computed(() => ChatMessage, 'Newest message; null for a chat without messages.', { null: true })
  lastMessage!: ChatMessage | null;

  @Computed(() => Int, 'Number of unread messages of the other participant, at most 1,000.')
  unreadCount!: number;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Integer({ hidden: true, default: 0 })
  messageCount!: number;

  @Moment({ hidden: true, null: true })
  lastMessageAt!: string | null;
}

export const PrivateChatConnection = connectionOf('PrivateChat', () => PrivateChat, 'private chats', {
  maxPageSize: longPageSize,
});

@Noun('chat_group', 'Chat of a group.', { implements: [Chat] })
@Index<ChatGroup>('chat_group_by_creator', ['creatorId'])
@Index<ChatGroup>('chat_group_of_community', ['communityId'], { unique: true })
@Index<ChatGroup>('chat_group_open', ['createdAt', 'id'], { where: c => `${c.isActive}` })
@Check<ChatGroup>('chat_group_visibility', c => `${c.visibility} in ('open', 'closed', 'secret')`)
@Personal({
  what: 'Chat groups that you created',
  purpose: 'know who made a group',
  kept: 'as long as the group',
  seenBy: 'members of the group',
  inExport: ['community.chat_groups'],
  left: 'the group with its name and description, which passes to its longest-standing member',
})
export class ChatGroup {
  @PrimaryUuid()
  id!: string;

  @Text({ about: 'Name, 1 to 100 characters, not unique.' })
  name!: string;

  @Text({ about: 'Description, at most 500 characters; may be empty.', default: '' })
  description!: string;

  @Cost(2)
  @ListSize(50)
  @Computed(() => [PersonCard], 'Members ordered by time of joining, at most 50.')
  participants!: PersonCard[];

  @Integer({ hidden: true, default: 0 })
  participantCount!: number;

  @Computed(() => Int, 'Number of members.')
  memberCount!: number;

  @Computed(() => ChatMessage, 'Newest message; null for none, and unless you are a member.', { null: true })
  lastMessage!: ChatMessage | null;

  @Computed(() => Int, 'Number of unread messages of others, at most 1,000; 0 unless you are a member.')
  unreadCount!: number;

  @Computed(() => Boolean, 'Whether you are a member.')
  isMember!: boolean;

  @Computed(() => Boolean, 'Whether you are an owner, who removes members, decides who joins, and changes the group.')
  isAdmin!: boolean;

  @Bool({ about: 'Whether the group can be joined: false after its last member has left.', default: true })
  isActive!: boolean;

  @Choice(() => GroupVisibility, {
    about: 'Who finds and joins the group; that of the community group, if it is the chat of one.',
    default: 'open',
  })
  visibility!: GroupVisibility;

  @Bool({
    about: 'Whether those who join read what was written before; else they read what is written from then on.',
    default: false,
  })
  sharesHistory!: boolean;

  @Owner(() => CommunityGroup, { onDelete: 'cascade', null: true })
  communityId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Number of the community group that the chat belongs to; null for none.', {
    null: true,
  })
  communityGroupDatabaseId!: number | null;

  @Owner(() => Person, { onDelete: 'set null', null: true })
  creatorId!: number | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Integer({ hidden: true, default: 0 })
  messageCount!: number;

  @Moment({ hidden: true, null: true })
  lastMessageAt!: string | null;
}

export const ChatGroupConnection = connectionOf('ChatGroup', () => ChatGroup, 'chat groups', {
  maxPageSize: longPageSize,
});
export const ChatConnection = connectionOf('Chat', () => Chat, 'chats');

/** Belongs to a private chat or to a group, never to both. */
@Noun('chat_message', 'Message of a chat.')
@Index<ChatMessage>('chat_message_by_author', ['authorId', 'sentAt'])
@Index<ChatMessage>('chat_message_of_chat', ['chatId', 'sentAt', 'id'], { where: c => `${c.chatId} is not null` })
@Index<ChatMessage>('chat_message_of_group', ['groupId', 'sentAt', 'id'], { where: c => `${c.groupId} is not null` })
@Index<ChatMessage>('chat_message_ordinal_of_chat', ['chatId', 'ordinal'], {
  unique: true,
  where: c => `${c.chatId} is not null`,
})
@Index<ChatMessage>('chat_message_ordinal_of_group', ['groupId', 'ordinal'], {
  unique: true,
  where: c => `${c.groupId} is not null`,
})
@Index<ChatMessage>('chat_message_once', ['authorId', 'clientId'], {
  unique: true,
  where: c => `${c.clientId} is not null`,
})
@Check<ChatMessage>('chat_message_place', c => `num_nonnulls(${c.chatId}, ${c.groupId}) = 1`)
@Personal({
  what: 'Messages sent to people',
  purpose: 'deliver them',
  kept: 'until you delete the message or the chat ends',
  seenBy: 'members of the chat; moderators after a report',
  inExport: ['community.messages'],
  left: 'the text without its author, because others replied to it',
})
export class ChatMessage {
  @PrimaryUuid()
  id!: string;

  @Owner(() => PrivateChat, { onDelete: 'cascade', null: true })
  chatId!: string | null;

  @Owner(() => ChatGroup, { onDelete: 'cascade', null: true })
  groupId!: string | null;

  /** Null once the account is erased: the message stays, its author does not. */
  @Owner(() => Person, { onDelete: 'set null', null: true })
  authorId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Number of the author; 0 for erased accounts and across a block.')
  senderDatabaseId!: number;

  @Computed(() => String, 'Name of the author; `Blocked user` across a block.')
  senderName!: string;

  @Computed(() => PersonCard, 'Person who wrote the message.')
  sender!: PersonCard;

  @Text({ hidden: true })
  content!: string;

  @Computed(() => String, 'Text, at most 4,000 characters; empty for a deleted message and across a block.')
  text!: string;

  @Computed(() => Boolean, 'Whether the message was deleted; its text is then empty.')
  isDeleted!: boolean;

  @Computed(() => Boolean, 'Whether you are the author.')
  isMine!: boolean;

  @Uuid({ hidden: true, null: true })
  clientId!: string | null;

  /** Number within the conversation, from 1, in the order of `sentAt`; the newest message has the number of messages. */
  @Integer({ hidden: true })
  ordinal!: number;

  @Moment({ about: 'Time of sending, unique within the chat.' })
  sentAt!: string;

  @Moment({ hidden: true, null: true })
  deletedAt!: string | null;
}

export const ChatMessageConnection = connectionOf('ChatMessage', () => ChatMessage, 'messages');

@ObjectType({ description: 'Result of joining or leaving a chat group.', simpleResolvers: true })
export class ChatStanding {
  @Computed(() => String, 'Outcome as a sentence for users.')
  detail!: string;

  @Computed(() => Boolean, 'Whether you are a member now.')
  isMember!: boolean;

  @Computed(() => Int, 'Number of members of the group now.')
  participantCount!: number;
}

export const ChatMessageOrder = sortOrder('ChatMessageOrder', 'messages', {
  SENT_AT: 'timestamp',
  ID: 'id',
});
