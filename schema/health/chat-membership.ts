import { Entity } from '@mikro-orm/decorators/legacy';
import { Bool, Integer, Moment, Owner } from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { ChatGroup, PrivateChat } from './chat.ts';
import { Person } from './person.ts';

/** Read position of each of the two participants. */
@Entity({ tableName: 'private_chat_reader' })
@Index<PrivateChatReader>('private_chat_reader_by_chat', ['chatId'])
@Personal({
  what: 'Up to when you have read a private chat',
  purpose: 'count unread messages',
  kept: 'as long as the chat',
  seenBy: 'nobody',
  inExport: 'It is a time without content.',
})
export class PrivateChatReader {
  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Owner(() => PrivateChat, { onDelete: 'cascade', key: true })
  chatId!: string;

  @Moment({ hidden: true })
  readAt!: string;
}

@Entity({ tableName: 'chat_membership' })
@Index<ChatMembership>('chat_membership_by_time', ['groupId', 'joinedAt', 'userId'])
@Index<ChatMembership>('chat_membership_by_user', ['userId', 'groupId'])
@Personal({
  what: 'Chat groups that you are in, and up to when you have read them',
  purpose: 'show groups and count unread messages',
  kept: 'until you leave',
  seenBy: 'members of the group',
  inExport: ['community.chat_groups'],
})
export class ChatMembership {
  @Owner(() => ChatGroup, { onDelete: 'cascade', key: true })
  groupId!: string;

  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Bool({ hidden: true, default: false })
  isAdmin!: boolean;

  @Moment({ hidden: true })
  joinedAt!: string;

  /** Number of the first message that the member may read. Set when joining, so that a later change of the group takes nothing away. */
  @Integer({ hidden: true, default: 1 })
  firstOrdinal!: number;

  /** Messages sent up to this time count as read. */
  @Moment({ hidden: true })
  readAt!: string;
}

/** Person whom an admin removed from a group, and who cannot join it again. */
@Entity({ tableName: 'chat_ban' })
@Index<ChatBan>('chat_ban_by_user', ['userId'])
@Personal({
  what: 'Chat groups that an admin removed you from',
  purpose: 'keep you from joining again',
  kept: 'as long as the group',
  seenBy: 'admins of the group',
  inExport: 'It is a decision of the admin.',
})
export class ChatBan {
  @Owner(() => ChatGroup, { onDelete: 'cascade', key: true })
  groupId!: string;

  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Moment({ hidden: true })
  bannedAt!: string;
}
