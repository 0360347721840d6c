import { Int, ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { longPageSize } from '../vocabulary/page-size.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { UuidText } from '../vocabulary/scalars.ts';
import { sortOrder } from '../vocabulary/sort-order.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';
import { PersonCard } from './person-card.ts';

export const PeerStatus = {
  PENDING: 'pending',
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  BLOCKED: 'blocked',
} as const;
export type PeerStatus = (typeof PeerStatus)[keyof typeof PeerStatus];
registerEnumType(PeerStatus, { name: 'PeerStatus', description: 'Status of a link between two people.' });

export const PeerAnswer = { ACCEPTED: 'accepted', DECLINED: 'declined', BLOCKED: 'blocked' } as const;
export type PeerAnswer = (typeof PeerAnswer)[keyof typeof PeerAnswer];
registerEnumType(PeerAnswer, {
  name: 'PeerAnswer',
  description: 'Answer to a request or change of a connection. `DECLINED` also withdraws, disconnects and unblocks.',
});

/** The answers as verbs, each with the resulting status. */
export const PeerAction = { ACCEPT: 'accepted', DECLINE: 'declined', BLOCK: 'blocked' } as const;
export type PeerAction = (typeof PeerAction)[keyof typeof PeerAction];
registerEnumType(PeerAction, { name: 'PeerAction', description: 'Answers to a connection as verbs.' });

export const PeerDirection = { INCOMING: 'incoming', OUTGOING: 'outgoing' } as const;
export type PeerDirection = (typeof PeerDirection)[keyof typeof PeerDirection];
registerEnumType(PeerDirection, {
  name: 'PeerDirection',
  description: 'Direction of a request: from the other person, or from you.',
});

/** One row for two people, independent of who asked: of two crossing requests the second answers the first. */
@Noun('peer_connection', 'Link between two people: a request, a connection or a block.')
@Index<PeerLink>('peer_connection_by_blocker', ['blockedById'], { where: c => `${c.blockedById} is not null` })
@Index<PeerLink>('peer_connection_by_decliner', ['declinedById'], { where: c => `${c.declinedById} is not null` })
@Index<PeerLink>('peer_connection_by_asked', ['askedId', 'status', 'createdAt', 'id'])
@Index<PeerLink>('peer_connection_by_asker', ['askerId', 'status', 'createdAt', 'id'])
@Index<PeerLink>(
  'peer_connection_pair',
  [c => `least(${c.askerId}, ${c.askedId})`, c => `greatest(${c.askerId}, ${c.askedId})`],
  { unique: true },
)
@Check<PeerLink>('peer_connection_answered', c => `(${c.status} = 'pending') or (${c.respondedAt} is not null)`)
@Check<PeerLink>('peer_connection_blocked', c => `(${c.status} = 'blocked') = (${c.blockedById} is not null)`)
@Check<PeerLink>(
  'peer_connection_blocker',
  c => `(${c.blockedById} = ${c.askerId}) or (${c.blockedById} = ${c.askedId})`,
)
@Check<PeerLink>(
  'peer_connection_decliner',
  c => `(${c.declinedById} = ${c.askerId}) or (${c.declinedById} = ${c.askedId})`,
)
@Check<PeerLink>('peer_connection_status', c => `${c.status} in ('pending', 'accepted', 'declined', 'blocked')`)
@Check<PeerLink>('peer_connection_two', c => `${c.askerId} <> ${c.askedId}`)
@Personal({
  what: 'Requests to connect, connections and blocks',
  purpose: 'connect two people, and keep blocked people apart',
  kept: 'as long as both accounts',
  seenBy: 'the other person, except blocks and refusals',
  inExport: ['community.connections'],
})
export class PeerLink {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  askerId!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  askedId!: number;

  @Computed(() => PersonCard, 'Person who sent the request.')
  requester!: PersonCard;

  @Computed(() => PersonCard, 'Person who received the request.')
  receiver!: PersonCard;

  @Computed(() => PersonCard, 'Person of the two who is not you.')
  peer!: PersonCard;

  @Choice(() => PeerStatus, { about: 'Status of the link.' })
  status!: PeerStatus;

  @Text({
    about:
      'Reason of the request, at most 255 characters; may be empty. The receiver sees it once the request is accepted.',
    default: '',
  })
  matchReason!: string;

  @Computed(
    () => [String],
    'Conditions and symptoms that the other person shows to you; none before the request is accepted.',
  )
  sharedConditions!: string[];

  @Computed(() => UuidText, 'UUID of the private chat of the two; null before the first message.', { null: true })
  chatUuid!: string | null;

  @Owner(() => Person, { onDelete: 'cascade', null: true })
  blockedById!: number | null;

  @Owner(() => Person, { onDelete: 'cascade', null: true })
  declinedById!: number | null;

  /** Number of requests of the sender since the two were last connected. */
  @Integer({ hidden: true, default: 1 })
  tries!: number;

  @Moment({ about: 'Time of the request.' })
  createdAt!: string;

  @Moment({ about: 'Time of the answer; null for none. The sender of a declined request sees null.', null: true })
  respondedAt!: string | null;
}

export const PeerLinkConnection = connectionOf('PeerLink', () => PeerLink, 'peer links', { maxPageSize: longPageSize });

@ObjectType({ description: 'Suggestion of a person with a similar health profile.', simpleResolvers: true })
export class PeerSuggestion {
  @Computed(() => PersonCard, 'Person that is suggested.')
  person!: PersonCard;

  @Computed(() => Int, 'Always null: `ageBand` tells about the age.', { null: true })
  age!: number | null;

  @Computed(
    () => String,
    'Ten years of age that the person is in, such as `30-39`. `under 18`, and `18 or over` without a date of birth.',
  )
  ageBand!: string;

  @Computed(() => Int, 'Similarity score, 0 to 100; rare shared terms weigh more than frequent ones.')
  score!: number;

  @Computed(() => String, 'Reason as a sentence that names up to 3 shared terms.')
  reason!: string;

  @Computed(() => [String], 'Shared terms, rarest first, at most 3.')
  sharedTerms!: string[];
}

export const PeerLinkOrder = sortOrder('PeerLinkOrder', 'peer links', {
  CREATED_AT: 'created_at',
  RESPONDED_AT: 'responded_at',
  ID: 'id',
});
