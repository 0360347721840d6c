/**
 * Who may do what with whom in the health companion: the one place where it is decided what is right. `people.test.ts` tries every cell at every
 * door, and `docs/people.md` is printed from it.
 */

/** Kinds of people, and of callers who are none. */
export const persons = {
  adult: 'an adult whom others can find',
  'unlisted adult': 'an adult whom others cannot find: the default',
  minor: 'a person below 18 whom others can find',
  unknown: 'a person without a date of birth whom others can find',
  'adult under review':
    'an adult who has changed the date of birth to that of a minor, on which a moderator has to decide',
  'minor under review': 'the reverse',
  moderator: 'an adult whom the command line has made a moderator',
  guest: 'a guest, without an e-mail address',
  nobody: 'a caller who is not signed in',
  'service credential': 'an operator’s credential for counts across all accounts',
} as const;
export type PersonKind = keyof typeof persons;

const callers: readonly PersonKind[] = ['guest', 'nobody', 'service credential'];
export const actingKinds = Object.keys(persons) as PersonKind[];
/** Whom something is done with: people with an account. To others a moderator is an adult. */
export const otherKinds = actingKinds.filter(kind => !callers.includes(kind) && kind !== 'moderator');

export const relations = {
  stranger: 'nothing between the two',
  'group member': 'members of one chat group, and nothing else',
  asked: 'the first has asked to connect; members of one group',
  asking: 'the other has asked to connect; members of one group',
  peer: 'connected, with a private chat; members of one group',
  former: 'the first has ended the connection today; the private chat and the group remain',
  blocking: 'the first blocks the other, whom it was connected with; the private chat and the group remain',
  blocked: 'the other blocks the first, whom it was connected with; the private chat and the group remain',
} as const;
export type Relation = keyof typeof relations;

/** What each kind can be to others: who has no account is a stranger. */
export const relationsOf = (me: PersonKind): Relation[] =>
  callers.includes(me) ? ['stranger'] : (Object.keys(relations) as Relation[]);

export interface Pair {
  me: PersonKind;
  other: PersonKind;
  relation: Relation;
}

type AgeGroup = 'adult' | 'minor' | 'unknown';
/** Under review a person stays in the age group that it had. */
function ageGroupOf(kind: PersonKind): AgeGroup {
  if (kind === 'minor' || kind === 'minor under review') return 'minor';
  return kind === 'unknown' || callers.includes(kind) ? 'unknown' : 'adult';
}

const isAnyOf =
  (...wanted: Relation[]) =>
  ({ relation }: Pair): boolean =>
    wanted.includes(relation);
const areOfOneGroup = ({ me, other }: Pair): boolean =>
  ageGroupOf(me) !== 'unknown' && ageGroupOf(me) === ageGroupOf(other);
const isListed = (kind: PersonKind): boolean => kind !== 'unlisted adult';
const isHeld = (kind: PersonKind): boolean => kind.endsWith('under review');

interface Condition {
  /** Continues «only if …». */
  about: string;
  because: string;
  holds(pair: Pair): boolean;
}

/** What deeds need. A deed is refused where one of its conditions does not hold. */
export const conditions = {
  session: {
    about: 'the first has an account or is a guest',
    because: 'reads of what people write are limited for each account, and end with it',
    holds: ({ me }) => me !== 'nobody' && me !== 'service credential',
  },
  account: {
    about: 'the first has an account with a confirmed address',
    because: 'reports and suspensions need an account with a confirmed address',
    holds: ({ me }) => !callers.includes(me),
  },
  'no block': {
    about: 'neither blocks the other',
    because: 'a block works in both directions; in one direction it would tell the blocked person of itself',
    holds: ({ relation }) => relation !== 'blocking' && relation !== 'blocked',
  },
  'not blocked': {
    about: 'the other does not block the first',
    because: 'a blocked person is not told of the block',
    holds: ({ relation }) => relation !== 'blocked',
  },
  'one age group': {
    about: 'both have given a date of birth, and both are adults or both below 18',
    because: 'adults and children are kept apart; of two people of unknown age one can be a child',
    holds: areOfOneGroup,
  },
  'own age': {
    about: 'the first has given a date of birth, and no moderator has to decide on it',
    because: 'a group has members whom the first does not know',
    holds: ({ me }) => ageGroupOf(me) !== 'unknown' && !isHeld(me),
  },
  'known age': {
    about: 'the first has given a date of birth',
    because: 'messages of adults are not shown to minors, nor the reverse',
    holds: ({ me }) => ageGroupOf(me) !== 'unknown',
  },
  'no review': {
    about: 'no moderator has to decide on the age of one of them',
    because: 'a person who has given two dates of birth gets no new contacts until it is decided which one is true',
    holds: ({ me, other }) => !isHeld(me) && !isHeld(other),
  },
  'both listed': {
    about: 'both have said that others can find them',
    because: 'people are suggested to strangers only with their consent, and only to people who have given it too',
    holds: ({ me, other }) => isListed(me) && isListed(other),
  },
  'listed or known': {
    about: 'others can find the other, or there has been a request between the two',
    because: 'people who are not visible in the community get no requests from strangers',
    holds: pair => isListed(pair.other) || isAnyOf('asked', 'asking', 'peer', 'former')(pair),
  },
  'nothing sent yet': {
    about: 'the two are not connected, and no request of the first waits',
    because: 'a repeated request has no effect',
    holds: pair => !isAnyOf('asked', 'peer')(pair),
  },
  'no link': {
    about: 'the two are not connected, none has asked the other, and none has refused in the past 30 days',
    because: 'a suggestion is for a first request',
    holds: isAnyOf('stranger', 'group member'),
  },
  request: {
    about: 'the other has asked, or the two are connected',
    because: 'only the person who was asked accepts a request',
    holds: isAnyOf('asking', 'peer'),
  },
  connection: {
    about: 'the two are connected',
    because: 'private contact needs the agreement of both',
    holds: isAnyOf('peer'),
  },
  chat: {
    about: 'the two have been connected',
    because: 'both people keep the messages of their chat after the connection has ended',
    holds: isAnyOf('peer', 'former', 'blocking', 'blocked'),
  },
  'common group': {
    about: 'the two are members of one group',
    because: 'messages of a group are for its members',
    holds: ({ relation }) => relation !== 'stranger',
  },
  'adult or one age group': {
    about: 'the other is an adult, or both are of one age group',
    because:
      'comments are public; the name of a person below 18, or of unknown age, is shown to the same age group only',
    holds: pair => ageGroupOf(pair.other) === 'adult' || areOfOneGroup(pair),
  },
  moderator: {
    about: 'the first is a moderator',
    because: 'moderators decide on reports; the other sees in `/auth/me/data-accesses/` that it was read',
    holds: ({ me }) => me === 'moderator',
  },
  review: {
    about: 'a moderator has to decide on the age of the other',
    because: 'moderators need no other date of birth',
    holds: ({ other }) => isHeld(other),
  },
  never: {
    about: 'never',
    because: 'no feature needs it',
    holds: () => false,
  },
} as const satisfies Record<string, Condition>;
export type ConditionName = keyof typeof conditions;

/** The ways to the product. The verdict of a deed is the same at each of its doors. */
export const doors = {
  rest: 'REST',
  graph: 'GraphQL query or mutation',
  subscription: 'GraphQL subscription',
  page: 'HTML page',
} as const;
export type Door = keyof typeof doors;

interface Deed {
  /** Continues «the first may …». */
  about: string;
  /** What of the API does it, by door. */
  at: Partial<Record<Door, string>>;
  needs: readonly ConditionName[];
}

const everywhere = {
  rest: 'all of the answers',
  graph: 'all of the answers',
  page: '`/health` and all pages below it, `/health/people/{id}`',
};

export const deeds = {
  suggest: {
    about: 'be suggested the other, with a band of ten years of age',
    at: { rest: '`GET /community/peers/suggested/`', graph: '`peerSuggestions`' },
    needs: ['account', 'no block', 'one age group', 'no review', 'both listed', 'no link'],
  },
  find: {
    about: 'find the other in the list of contacts',
    at: { rest: '`GET /chat/users/`', graph: '`contacts`' },
    needs: ['account', 'no block', 'one age group', 'connection'],
  },
  surname: {
    about: 'read the last name of the other: anywhere but in what moderators decide on',
    at: { rest: everywhere.rest, graph: everywhere.graph },
    needs: ['account', 'no block', 'one age group', 'chat'],
  },
  conditions: {
    about: 'read the conditions that the other shows to accepted peers',
    at: { graph: '`PeerLink.sharedConditions`' },
    needs: ['account', 'no block', 'one age group', 'connection'],
  },
  secrets: {
    about:
      'read the date of birth, e-mail address, telephone number or a private condition of the other: anywhere but in what moderators decide on',
    at: everywhere,
    needs: ['never'],
  },
  page: {
    about: 'see any name of the other on a page, or the other’s person by its id',
    at: { graph: '`node`', page: everywhere.page },
    needs: ['never'],
  },
  ask: {
    about: 'ask the other to connect',
    at: { rest: '`POST /community/peers/connect/`', graph: '`requestPeer`' },
    needs: ['account', 'no block', 'one age group', 'no review', 'listed or known', 'nothing sent yet'],
  },
  accept: {
    about: 'accept a request of the other',
    at: { rest: '`PATCH /community/peers/{id}/`', graph: '`answerPeerRequest`' },
    needs: ['account', 'no block', 'one age group', 'no review', 'request'],
  },
  block: {
    about: 'block the other',
    at: { graph: '`blockPeer`' },
    needs: ['account', 'not blocked'],
  },
  open: {
    about: 'open the private chat with the other',
    at: { rest: '`POST /chat/private/`', graph: '`startPrivateChat`' },
    needs: ['account', 'no block', 'one age group', 'connection'],
  },
  write: {
    about: 'write to the other',
    at: {
      rest: '`POST /chat/messages/`, by person and by chat',
      graph: '`sendChatMessage`, by person and by chat',
    },
    needs: ['account', 'no block', 'one age group', 'connection'],
  },
  read: {
    about: 'read the private chat with the other',
    at: {
      rest: '`GET /chat/private/{id}/messages/`',
      graph: '`PrivateChat.messages`',
      subscription: '`chatMessageAdded`, `chatRead`',
    },
    needs: ['account', 'no block', 'one age group', 'chat'],
  },
  'read in group': {
    about: 'read what the other says in a group',
    at: {
      rest: '`GET /chat/groups/{id}/messages/`',
      graph: '`ChatGroup.messages`',
      subscription: '`chatMessageAdded`',
    },
    needs: ['account', 'no block', 'one age group', 'common group'],
  },
  'see in group': {
    about: 'see the other among the members of a group',
    at: { rest: '`GET /chat/groups/`', graph: '`ChatGroup.members`' },
    needs: ['account', 'no block', 'one age group', 'common group'],
  },
  'add to group': {
    about: 'add the other to a new group, or invite the other to a group',
    at: { rest: '`POST /chat/groups/`', graph: '`createChatGroup`, `inviteToGroup`' },
    needs: ['account', 'no block', 'one age group', 'no review', 'connection'],
  },
  'write in group': {
    about: 'write to a group that the first is in',
    at: {
      rest: '`POST /chat/messages/`, by group',
      graph: '`sendChatMessage`, by group',
    },
    needs: ['account', 'known age'],
  },
  join: {
    about: 'join an open group of the other',
    at: { rest: '`POST /chat/groups/{id}/join/`', graph: '`joinChatGroup`' },
    needs: ['account', 'own age'],
  },
  comment: {
    about: 'read a comment of the other on an article',
    at: { rest: '`GET /articles/{id}/comments/`', graph: '`Article.comments`' },
    needs: ['session', 'no block'],
  },
  author: {
    about: 'read who wrote that comment',
    at: { rest: '`GET /articles/{id}/comments/`', graph: '`ArticleComment.author`' },
    needs: ['session', 'no block', 'adult or one age group'],
  },
  reply: {
    about: 'reply to that comment',
    at: { rest: '`POST /articles/{id}/comments/`', graph: '`addArticleComment`' },
    needs: ['account', 'no block', 'one age group'],
  },
  reports: {
    about: 'read what was reported about the other',
    at: { graph: '`reports`' },
    needs: ['moderator'],
  },
  'held age': {
    about: 'read a date of birth that waits for a decision',
    at: { graph: '`heldAges`' },
    needs: ['moderator', 'review'],
  },
} as const satisfies Record<string, Deed>;
export type DeedName = keyof typeof deeds;
export const deedNames = Object.keys(deeds) as DeedName[];

/** The condition that a deed fails by; undefined where it is granted. */
export const refusalOf = (deed: DeedName, pair: Pair): ConditionName | undefined =>
  deeds[deed].needs.find(name => !conditions[name].holds(pair));

export const isGranted = (deed: DeedName, pair: Pair): boolean => refusalOf(deed, pair) === undefined;
