import { Entity } from '@mikro-orm/decorators/legacy';
import { Int, ObjectType } from 'type-graphql';
import { Bool, Choice, Computed, Integer, Key, Moment, Noun, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { longPageSize } from '../vocabulary/page-size.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { UuidText } from '../vocabulary/scalars.ts';
import { Check, Index, Unique } from '../vocabulary/table-constraints.ts';
import { GroupVisibility } from './group-visibility.ts';
import { Person } from './person.ts';
import { PersonCard } from './person-card.ts';

@Noun('community_group', 'Group of people who share a condition or a concern.')
@Unique<CommunityGroup>('community_group_slug_key', ['slug'])
@Index<CommunityGroup>('community_group_by_creator', ['creatorId'])
@Index<CommunityGroup>('community_group_by_owner', ['ownerId'])
@Index<CommunityGroup>('community_group_by_name', [c => `lower(${c.name})`, 'id'], { where: c => c.isActive })
@Index<CommunityGroup>('community_group_name', [c => `lower(${c.name})`], {
  unique: true,
  where: c => `${c.visibility} <> 'secret'`,
})
@Check<CommunityGroup>('community_group_visibility', c => `${c.visibility} in ('open', 'closed', 'secret')`)
@Personal({
  what: 'Community groups that you created or own',
  purpose: 'know who decides about a group',
  kept: 'as long as the group',
  seenBy: 'members of the group',
  inExport: ['community.community_groups'],
  left: 'the group with its name and description, which passes to its longest-standing member',
})
export class CommunityGroup {
  @Key()
  id!: number;

  @Text({ about: 'Name, 3 to 100 characters, unique without regard to case among groups that are not secret.' })
  name!: string;

  @Text({ about: 'Slug for URLs, at most 110 characters, unique.' })
  slug!: string;

  @Text({ about: 'Description, at most 1,000 characters; may be empty.', default: '' })
  description!: string;

  @TextList({ about: 'Conditions that the group is about, lower case, at most 10.' })
  conditionTags!: string[];

  @Integer({ about: 'Number of members.', default: 0 })
  memberCount!: number;

  @Computed(() => Boolean, 'Whether you are a member.')
  isMember!: boolean;

  @Bool({ about: 'Whether the group can be joined.', default: true })
  isActive!: boolean;

  @Choice(() => GroupVisibility, { about: 'Who finds and joins the group.', default: 'open' })
  visibility!: GroupVisibility;

  /** Null once the account is erased. */
  @Owner(() => Person, { onDelete: 'set null', null: true })
  creatorId!: number | null;

  /** A member: the creator at first. Null without members, until the next one joins. */
  @Owner(() => Person, { onDelete: 'set null', null: true })
  ownerId!: number | null;

  @Computed(() => Boolean, 'Whether you are the owner, who decides who joins, and changes the group.')
  isOwner!: boolean;

  @Computed(() => PersonCard, 'Person who created the group.')
  createdBy!: PersonCard;

  @Computed(() => UuidText, "UUID of the group's chat; null for none.", { null: true })
  chatGroupUuid!: string | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;
}

export const CommunityGroupConnection = connectionOf('CommunityGroup', () => CommunityGroup, 'community groups', {
  maxPageSize: longPageSize,
});

@Entity({ tableName: 'community_membership' })
@Index<CommunityMembership>('community_membership_by_time', ['groupId', 'joinedAt', 'userId'])
@Index<CommunityMembership>('community_membership_by_user', ['userId', 'groupId'])
@Personal({
  what: 'Community groups that you are in',
  purpose: 'show the groups and their members',
  kept: 'until you leave',
  seenBy: 'members of the group',
  inExport: ['community.community_groups'],
})
export class CommunityMembership {
  @Owner(() => CommunityGroup, { onDelete: 'cascade', key: true })
  groupId!: number;

  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Moment({ hidden: true })
  joinedAt!: string;
}

@ObjectType({ description: 'Result of joining or leaving a community group.', simpleResolvers: true })
export class CommunityStanding {
  @Computed(() => String, 'Outcome as a sentence for users.')
  detail!: string;

  @Computed(() => Boolean, 'Whether you are a member now.')
  isMember!: boolean;

  @Computed(() => Int, 'Number of members of the group now.')
  memberCount!: number;
}
