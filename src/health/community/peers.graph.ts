import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Mutation, Query, Resolver } from 'type-graphql';
import {
  PeerAction,
  PeerAnswer,
  PeerConnection,
  PeerConnectionPage,
  PeerDirection,
  PeerStatus,
  PeerSuggestion,
} from '../../../schema/health/peer-connection.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { selectionOf } from '../../db/selection.ts';
import { invalidInput } from '../../errors/errors.ts';
import { answerConnection, blockUser, type ConnectionAnswer } from './answer-connection.ts';
import { type PeerConnectionRow, peerConnections, peerRequests } from './peers.queries.ts';
import { requestConnection } from './request-connection.ts';
import { type PeerSuggestionRow, suggestedPeers } from './suggested-peers.queries.ts';

@ArgsType()
class PeerConnectionsArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Words or "quoted phrases", each of which must occur in the other\'s name; at most 20.',
  })
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Comma separated: created_at, responded_at, id; a leading - turns the order round. Other names are ignored; the newest come first by default.',
  })
  ordering?: string | null;

  @Field(() => PeerStatus, {
    nullable: true,
    description: 'Only connections of this status; accepted ones when absent. Declined and blocked: by the caller.',
  })
  status?: string | null;

  @Field(() => PeerDirection, { nullable: true, description: 'Only those the other, or the caller, asked for.' })
  direction?: string | null;
}

@ArgsType()
class PeerRequestArgs {
  @Field(() => GraphQLSafeInt, { description: 'Number of the account to ask.' })
  receiverId!: number;

  @Field(() => String, { nullable: true, description: 'Why, at most 255 characters.' })
  matchReason?: string | null;
}

@ArgsType()
class AnswerArgs {
  @Field(() => GraphQLSafeInt, { description: 'Number of the connection.' })
  id!: number;

  @Field(() => PeerAnswer, { nullable: true, description: 'What it becomes. Either this or `action`.' })
  status?: string | null;

  @Field(() => PeerAction, { nullable: true, description: 'The same as a verb.' })
  action?: string | null;
}

const maxSuggestions = 50;

@Resolver()
export class PeerRoots {
  @Access('verified')
  @Cost(5, { search: 20 })
  @Query(() => PeerConnectionPage, { description: 'Connections of the caller; accepted ones unless asked otherwise.' })
  peerConnections(
    @Args(() => PeerConnectionsArgs) args: PeerConnectionsArgs,
    @Ctx() context: Context,
  ): Page<PeerConnectionRow> {
    return new Page(peerConnections(context, args), args);
  }

  @Access('verified')
  @Cost(3)
  @Query(() => [PeerConnection], {
    description: 'Requests to the caller that wait for an answer, the newest first; at most 500.',
  })
  peerRequests(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<PeerConnectionRow[]> {
    return peerRequests(context, selectionOf(info));
  }

  @Access('verified')
  @Cost(100)
  @Query(() => [PeerSuggestion], {
    description:
      'People with a similar health profile, the most similar first. Only those who want to be found in the community are shown, and only to each other.',
  })
  suggestedPeers(
    @Arg('limit', () => Int, { defaultValue: 20, description: 'How many at most, 1 to 50.' }) limit: number,
    @Ctx() context: Context,
  ): Promise<PeerSuggestionRow[]> {
    if (limit < 1 || limit > maxSuggestions) {
      const bound = limit < 1 ? 'greater than or equal to 1' : `less than or equal to ${maxSuggestions}`;
      throw invalidInput({ limit: [`Ensure this value is ${bound}.`] });
    }
    return suggestedPeers(context, limit);
  }

  @Access('verified')
  @Mutation(() => PeerConnection, {
    description:
      'Asks somebody to connect. Of two who ask each other, be it in the same instant, the two are connected.',
  })
  connectPeer(@Args(() => PeerRequestArgs) args: PeerRequestArgs, @Ctx() context: Context): Promise<PeerConnectionRow> {
    return requestConnection(context, args);
  }

  @Access('verified')
  @Mutation(() => PeerConnection, {
    description: 'Accepts, declines or blocks. Declining also withdraws an own request, disconnects and unblocks.',
  })
  answerConnection(
    @Args(() => AnswerArgs) { id, status, action }: AnswerArgs,
    @Ctx() context: Context,
  ): Promise<PeerConnectionRow> {
    return answerConnection(context, id, (status ?? action ?? undefined) as ConnectionAnswer | undefined);
  }

  @Access('verified')
  @Mutation(() => PeerConnection, {
    description: 'Blocks somebody, connected or not: neither sees anything of the other any more.',
  })
  blockUser(
    @Arg('userId', () => GraphQLSafeInt, { description: 'Number of the account.' }) userId: number,
    @Ctx() context: Context,
  ): Promise<PeerConnectionRow> {
    return blockUser(context, userId);
  }
}
