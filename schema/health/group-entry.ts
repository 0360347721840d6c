import { registerEnumType } from 'type-graphql';
import { Computed, Key, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { ChatGroup } from './chat.ts';
import { CommunityGroup } from './community-group.ts';
import { Person } from './person.ts';
import { PersonCard } from './person-card.ts';

export const GroupEntryKind = { REQUEST: 'request', INVITATION: 'invitation' } as const;
export type GroupEntryKind = (typeof GroupEntryKind)[keyof typeof GroupEntryKind];
registerEnumType(GroupEntryKind, {
  name: 'GroupEntryKind',
  description: 'Whether a person asks to join a group, or its owner asks the person to.',
});

export const GroupEntryTurn = { YOURS: 'yours', THEIRS: 'theirs' } as const;
export type GroupEntryTurn = (typeof GroupEntryTurn)[keyof typeof GroupEntryTurn];
registerEnumType(GroupEntryTurn, {
  name: 'GroupEntryTurn',
  description:
    'Whose answer requests and invitations wait for. `YOURS`: invitations to you, and requests to groups that you own. `THEIRS`: your requests, and invitations to groups that you own.',
});

export const GroupEntryAnswer = { ACCEPT: 'accept', DECLINE: 'decline' } as const;
export type GroupEntryAnswer = (typeof GroupEntryAnswer)[keyof typeof GroupEntryAnswer];
registerEnumType(GroupEntryAnswer, {
  name: 'GroupEntryAnswer',
  description: 'Answer to a request or an invitation. `DECLINE` withdraws one of your own.',
});

/** One row for a person and a group. A declined one stays for a while, because it must not be repeated at once. */
@Noun('group_entry', 'Request to join a group, or invitation to it, that waits for an answer.')
@Index<GroupEntry>('group_entry_of_chat', ['chatGroupId', 'personId'], {
  unique: true,
  where: c => `${c.chatGroupId} is not null`,
})
@Index<GroupEntry>('group_entry_of_community', ['communityGroupId', 'personId'], {
  unique: true,
  where: c => `${c.communityGroupId} is not null`,
})
@Index<GroupEntry>('group_entry_by_person', ['personId', 'id'])
@Index<GroupEntry>('group_entry_by_inviter', ['inviterId', 'id'], { where: c => `${c.inviterId} is not null` })
@Check<GroupEntry>('group_entry_place', c => `num_nonnulls(${c.chatGroupId}, ${c.communityGroupId}) = 1`)
@Personal({
  what: 'Join requests and invitations to groups',
  purpose: 'decide on membership',
  kept: 'until the answer; a refusal for a limited time',
  seenBy: 'the owner of the group and the invited person',
  inExport: ['community.group_entries'],
})
export class GroupEntry {
  @Key()
  id!: number;

  @Owner(() => ChatGroup, { onDelete: 'cascade', null: true })
  chatGroupId!: string | null;

  @Owner(() => CommunityGroup, { onDelete: 'cascade', null: true })
  communityGroupId!: number | null;

  @Owner(() => Person, { onDelete: 'cascade' })
  personId!: number;

  /** Null for a request. */
  @Owner(() => Person, { onDelete: 'cascade', null: true })
  inviterId!: number | null;

  @Computed(() => GroupEntryKind, 'Whether it is a request or an invitation.')
  kind!: GroupEntryKind;

  @Computed(() => PersonCard, 'Person who would join.')
  person!: PersonCard;

  @Moment({ about: 'Time of the request or invitation.' })
  createdAt!: string;

  @Moment({ hidden: true, null: true })
  declinedAt!: string | null;
}

export const GroupEntryConnection = connectionOf('GroupEntry', () => GroupEntry, 'requests and invitations');
