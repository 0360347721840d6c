import { Entity } from '@mikro-orm/decorators/legacy';
import { Int, ObjectType } from 'type-graphql';
import { Bool, Computed, Integer, Key, Moment, Noun, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { UuidText } from '../vocabulary/scalars.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { MiniUser } from './mini-user.ts';
import { User } from './user.ts';

@Noun('community_group', 'People who share a condition or a concern.')
@Unique<CommunityGroup>('community_group_slug_key', ['slug'])
@Index<CommunityGroup>('community_group_by_creator', ['creatorId'])
@Index<CommunityGroup>('community_group_name', [c => `lower(${c.name})`], { unique: true })
export class CommunityGroup {
  @Key('Number of the group.')
  id!: number;

  @Text({ about: 'Name, 3 to 100 characters; no two groups have the same, capital letters aside.' })
  name!: string;

  @Text({ about: 'Name for addresses, at most 110 characters; no two groups have the same.' })
  slug!: string;

  @Text({ about: 'What the group is for, at most 1,000 characters; may be empty.', default: '' })
  description!: string;

  @TextList({ about: 'Conditions the group is about, in lower case; at most 10.' })
  conditionTags!: string[];

  @Integer({ about: 'People in the group.', default: 0 })
  memberCount!: number;

  @Computed(() => Boolean, 'Whether the caller is in the group.')
  isMember!: boolean;

  @Bool({ about: 'Whether the group can be joined.', default: true })
  isActive!: boolean;

  /** Null once the account is erased. */
  @Owner(() => User, { onDelete: 'set null', null: true })
  creatorId!: number | null;

  @Computed(() => MiniUser, 'Who founded it.')
  createdBy!: MiniUser;

  @Computed(() => UuidText, 'The chat that belongs to the group; who is in the group is not in the chat by that.', {
    null: true,
  })
  chatGroupId!: string | null;

  @Moment({ about: 'When it was founded.' })
  createdAt!: string;
}

@Entity({ tableName: 'community_membership' })
@Index<CommunityMembership>('community_membership_by_time', ['groupId', 'joinedAt', 'userId'])
@Index<CommunityMembership>('community_membership_by_user', ['userId', 'groupId'])
export class CommunityMembership {
  @Owner(() => CommunityGroup, { onDelete: 'cascade', key: true })
  groupId!: number;

  @Owner(() => User, { onDelete: 'cascade', key: true })
  userId!: number;

  @Moment({ hidden: true })
  joinedAt!: string;
}

@ObjectType({ description: 'How joining or leaving a community group ended.', simpleResolvers: true })
export class CommunityStanding {
  @Computed(() => String, 'What was done, in a sentence for people.')
  detail!: string;

  @Computed(() => Boolean, 'Whether the caller is in the group now.')
  isMember!: boolean;

  @Computed(() => Int, 'People in the group now.')
  memberCount!: number;
}
