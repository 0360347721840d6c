import { Int, ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { UuidText } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { MiniUser } from './mini-user.ts';
import { User } from './user.ts';

export const PeerStatus = {
  PENDING: 'pending',
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  BLOCKED: 'blocked',
} as const;
export type PeerStatus = (typeof PeerStatus)[keyof typeof PeerStatus];
registerEnumType(PeerStatus, { name: 'PeerStatus', description: 'How two people stand to each other.' });

export const PeerAnswer = { ACCEPTED: 'accepted', DECLINED: 'declined', BLOCKED: 'blocked' } as const;
export type PeerAnswer = (typeof PeerAnswer)[keyof typeof PeerAnswer];
registerEnumType(PeerAnswer, {
  name: 'PeerAnswer',
  description: 'What somebody makes of a connection. `DECLINED` also withdraws, disconnects and unblocks.',
});

/** The same answers as verbs, each with the status it leads to. */
export const PeerAction = { ACCEPT: 'accepted', DECLINE: 'declined', BLOCK: 'blocked' } as const;
export type PeerAction = (typeof PeerAction)[keyof typeof PeerAction];
registerEnumType(PeerAction, { name: 'PeerAction', description: 'The answers to a connection as verbs.' });

export const PeerDirection = { INCOMING: 'incoming', OUTGOING: 'outgoing' } as const;
export type PeerDirection = (typeof PeerDirection)[keyof typeof PeerDirection];
registerEnumType(PeerDirection, { name: 'PeerDirection', description: 'Who asked: the other, or the caller.' });

/** One row for two people, whoever asked: of two requests that cross, one meets the other. */
@Noun('peer_connection', 'A connection between two people.')
@Index<PeerConnection>('peer_connection_by_asked', ['askedId', 'status', 'createdAt', 'id'])
@Index<PeerConnection>('peer_connection_by_asker', ['askerId', 'status', 'createdAt', 'id'])
@Index<PeerConnection>(
  'peer_connection_pair',
  [c => `least(${c.askerId}, ${c.askedId})`, c => `greatest(${c.askerId}, ${c.askedId})`],
  { unique: true },
)
@Check<PeerConnection>('peer_connection_answered', c => `(${c.status} = 'pending') or (${c.respondedAt} is not null)`)
@Check<PeerConnection>('peer_connection_blocked', c => `(${c.status} = 'blocked') = (${c.blockedById} is not null)`)
@Check<PeerConnection>(
  'peer_connection_blocker',
  c => `(${c.blockedById} = ${c.askerId}) or (${c.blockedById} = ${c.askedId})`,
)
@Check<PeerConnection>(
  'peer_connection_decliner',
  c => `(${c.declinedById} = ${c.askerId}) or (${c.declinedById} = ${c.askedId})`,
)
@Check<PeerConnection>('peer_connection_status', c => `${c.status} in ('pending', 'accepted', 'declined', 'blocked')`)
@Check<PeerConnection>('peer_connection_two', c => `${c.askerId} <> ${c.askedId}`)
export class PeerConnection {
  @Key('Number of the connection.')
  id!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  askerId!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  askedId!: number;

  @Computed(() => MiniUser, 'Who asked.')
  requester!: MiniUser;

  @Computed(() => MiniUser, 'Who was asked.')
  receiver!: MiniUser;

  @Computed(() => MiniUser, 'The one of the two who is not the caller.')
  peer!: MiniUser;

  @Choice(() => PeerStatus, { about: 'How the two stand to each other.' })
  status!: PeerStatus;

  @Text({ about: 'Why they asked, at most 255 characters; may be empty.', default: '' })
  matchReason!: string;

  @Computed(() => UuidText, 'The private chat of the two; null before there is one.', { null: true })
  chatId!: string | null;

  @Owner(() => User, { onDelete: 'cascade', null: true })
  blockedById!: number | null;

  @Owner(() => User, { onDelete: 'cascade', null: true })
  declinedById!: number | null;

  /** Requests of the one who asked, since the two were last connected. */
  @Integer({ hidden: true, default: 1 })
  tries!: number;

  @Moment({ about: 'When they asked.' })
  createdAt!: string;

  @Moment({ about: 'When it was answered. The one who asked is not told when it was declined.', null: true })
  respondedAt!: string | null;
}

export const PeerConnectionPage = pageOf('PeerConnectionPage', () => PeerConnection, 'A page of connections.');

@ObjectType({
  description: 'Somebody whom a person could get on with, as they are shown to that person.',
  simpleResolvers: true,
})
export class SuggestedUser extends MiniUser {
  @Computed(() => Int, 'Age in years.', { null: true })
  age!: number | null;
}

@ObjectType({ description: 'A person with a similar health profile.', simpleResolvers: true })
export class PeerSuggestion {
  @Computed(() => SuggestedUser, 'The person.')
  user!: SuggestedUser;

  @Computed(() => Int, 'How similar, 0 to 100: rare things in common count for more than frequent ones.')
  score!: number;

  @Computed(() => String, 'Why, in a sentence that names up to three things both have shared.')
  reason!: string;

  @Computed(() => [String], 'Up to three things in common, the rarest first.')
  shared!: string[];
}
