import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Int,
  Mutation,
  Resolver,
  Root,
} from 'type-graphql';
import { PrivateChat } from '../../../schema/health/chat.ts';
import {
  PeerAction,
  PeerAnswer,
  PeerDirection,
  PeerLink,
  PeerLinkConnection,
  PeerLinkOrder,
  PeerStatus,
  PeerSuggestion,
} from '../../../schema/health/peer-link.ts';
import { Person } from '../../../schema/health/person.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { LongPageArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits, NotNull } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { invalidInput } from '../../errors/errors.ts';
import { findPrivateChats, type PrivateChatRow } from '../chat/chats.queries.ts';
import { asOfField, orderByField, searchField } from '../lists/argument-fields.ts';
import { answerPeerRequest, blockPeer } from './answer-peer-request.ts';
import { type PeerSuggestionRow, peerSuggestions } from './peer-suggestions.queries.ts';
import { type PeerLinkRow, peerLinks, peerRequests } from './peers.queries.ts';
import { matchReasonLimits, requestPeer } from './request-peer.ts';

@ArgsType()
class PeersArgs extends LongPageArgs {
  @searchField("the other's name") search?: string | null;
  @orderByField(() => PeerLinkOrder, 'latest request first') orderBy?: string[] | null;
  @asOfField() asOf?: string | null;
  @optionalField(
    () => PeerStatus,
    'Status of the links, `ACCEPTED` by default. Declined and blocked ones only if you did it.',
  )
  status?: string | null;
  @optionalField(() => PeerDirection, 'Direction of the requests; both by default.') direction?: string | null;
}

@InputType({ description: 'Input of `requestPeer`.' })
class RequestPeerInput {
  @Field(() => ID, { description: 'Global id of the person to ask.' }) personId!: string;
  @Limits(matchReasonLimits)
  @optionalField(() => String, 'Reason, at most 255 characters.')
  matchReason?: string | null;
}

@InputType({ description: 'Input of `answerPeerRequest`.' })
class AnswerPeerRequestInput {
  @Field(() => ID, { description: 'Link to change.' }) peerLinkId!: string;
  @NotNull()
  @optionalField(() => PeerAnswer, 'Answer; required without `action`.')
  answer?: PeerAnswer | null;
  @NotNull()
  @optionalField(() => PeerAction, 'Answer as a verb, in place of `answer`.')
  action?: PeerAnswer | null;
}

@InputType({ description: 'Input of `blockPeer`.' })
class BlockPeerInput {
  @Field(() => ID, { description: 'Global id of the person to block.' }) personId!: string;
}

const RequestPeerPayload = payloadOf('requestPeer', { peerLink: [() => PeerLink, 'Link to the person asked.'] });
const AnswerPeerRequestPayload = payloadOf('answerPeerRequest', {
  peerLink: [() => PeerLink, 'Link as changed. A withdrawn request no longer exists and has the status `DECLINED`.'],
});
const BlockPeerPayload = payloadOf('blockPeer', { peerLink: [() => PeerLink, 'Link to the blocked person.'] });

interface LinkPayload {
  peerLink: PeerLinkRow;
}

const maxSuggestions = 50;

@Resolver(() => Person)
export class PersonPeers {
  @Access('verified')
  @Cost(5, { search: 20 })
  @FieldResolver(() => PeerLinkConnection, {
    nullable: true,
    description: 'Links to other people, latest request first; accepted ones by default.',
  })
  peers(@Args(() => PeersArgs) args: PeersArgs, @Ctx() context: Context): Connection<PeerLinkRow> {
    return new Connection(PeerLinkConnection, peerLinks(context, args), args);
  }

  @Access('verified')
  @Cost(3)
  @FieldResolver(() => PeerLinkConnection, {
    nullable: true,
    description: 'Requests that wait for your answer, latest first.',
  })
  peerRequests(@Args(() => LongPageArgs) args: LongPageArgs, @Ctx() context: Context): Connection<PeerLinkRow> {
    return new Connection(PeerLinkConnection, peerRequests(context), args);
  }

  @Access('verified')
  @Cost(100)
  @FieldResolver(() => [PeerSuggestion], {
    nullable: true,
    description:
      'People with a similar health profile, most similar first. Both sides must be visible in the community.',
  })
  peerSuggestions(
    @Arg('limit', () => Int, { defaultValue: 20, description: 'Maximum number, 1 to 50.' }) limit: number,
    @Ctx() context: Context,
  ): Promise<PeerSuggestionRow[]> {
    if (limit < 1 || limit > maxSuggestions) {
      const bound = limit < 1 ? 'greater than or equal to 1' : `less than or equal to ${maxSuggestions}`;
      throw invalidInput({ limit: [`Ensure this value is ${bound}.`] });
    }
    return peerSuggestions(context, limit);
  }
}

@Resolver()
export class PeerRoots {
  @Access('verified')
  @Mutation(() => RequestPeerPayload, {
    nullable: true,
    description: 'Asks a person to connect. Accepts a pending request of that person instead.',
  })
  async requestPeer(
    @InputArg(() => RequestPeerInput) { personId, matchReason = null }: RequestPeerInput,
    @Ctx() context: Context,
  ): Promise<LinkPayload> {
    return { peerLink: await requestPeer(context, { personId: personNumber(personId), matchReason }) };
  }

  @Access('verified')
  @Mutation(() => AnswerPeerRequestPayload, {
    nullable: true,
    description: 'Accepts, declines or blocks. Declining also withdraws your request, disconnects and unblocks.',
  })
  async answerPeerRequest(
    @InputArg(() => AnswerPeerRequestInput) { peerLinkId, answer, action }: AnswerPeerRequestInput,
    @Ctx() context: Context,
  ): Promise<LinkPayload> {
    const id = numberOfId('PeerLink', peerLinkId, 'peerLinkId');
    const refused = Object.entries({ answer, action }).filter(([, value]) => value === null);
    if (refused.length > 0)
      throw invalidInput(Object.fromEntries(refused.map(([name]) => [name, ['This field may not be null.']])));
    if (answer && action && answer !== action)
      throw invalidInput({ action: ['This contradicts the status. Send one of the two.'] });
    return { peerLink: await answerPeerRequest(context, id, answer ?? action ?? undefined) };
  }

  @Access('verified')
  @Mutation(() => BlockPeerPayload, {
    nullable: true,
    description: 'Blocks a person, connected or not. Neither of you sees the other from then on. Idempotent.',
  })
  async blockPeer(
    @InputArg(() => BlockPeerInput) { personId }: BlockPeerInput,
    @Ctx() context: Context,
  ): Promise<LinkPayload> {
    return { peerLink: await blockPeer(context, personNumber(personId)) };
  }
}

const personNumber = (id: string): number => numberOfId('Person', id, 'personId');

@Resolver(() => PeerLink)
export class PeerLinkFields {
  @FieldResolver(() => PrivateChat, {
    nullable: true,
    description: 'Private chat of the two; null for none, and while one blocks the other.',
  })
  chat(
    @Root() { chatUuid }: PeerLinkRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PrivateChatRow | null> | null {
    return chatUuid === null ? null : context.load(findPrivateChats, selectionOf(info)).load(chatUuid);
  }
}
