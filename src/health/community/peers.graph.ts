import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Mutation, Query, Resolver } from 'type-graphql';
import {
  PeerAction,
  PeerAnswer,
  PeerConnection,
  PeerConnectionConnection,
  PeerDirection,
  PeerStatus,
  PeerSuggestion,
} from '../../../schema/health/peer-connection.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { invalidInput } from '../../errors/errors.ts';
import { orderingField, searchField } from '../lists/argument-fields.ts';
import { answerConnection, blockUser, type ConnectionAnswer } from './answer-connection.ts';
import { connectionOrdering, type PeerConnectionRow, peerConnections, peerRequests } from './peers.queries.ts';
import { requestConnection } from './request-connection.ts';
import { type PeerSuggestionRow, suggestedPeers } from './suggested-peers.queries.ts';

@ArgsType()
class PeerConnectionsArgs extends ConnectionArgs {
  @searchField("the other's name")
  search?: string | null;

  @orderingField(connectionOrdering)
  ordering?: string | null;

  @Field(() => PeerStatus, {
    nullable: true,
    description:
      'Status of the connections; accepted when absent. Declined and blocked ones only when the caller did it.',
  })
  status?: string | null;

  @Field(() => PeerDirection, { nullable: true, description: 'Direction of the requests.' })
  direction?: string | null;
}

@ArgsType()
class PeerRequestArgs {
  @Field(() => GraphQLSafeInt, { description: 'Id of the user to ask.' })
  receiverId!: number;

  @Field(() => String, { nullable: true, description: 'Reason, at most 255 characters.' })
  matchReason?: string | null;
}

@ArgsType()
class AnswerArgs {
  @Field(() => GraphQLSafeInt, { description: 'Id of the connection.' })
  id!: number;

  @Field(() => PeerAnswer, { nullable: true, description: 'New status. Either this or `action` is required.' })
  status?: string | null;

  @Field(() => PeerAction, { nullable: true, description: 'New status as a verb.' })
  action?: string | null;
}

const maxSuggestions = 50;

@Resolver()
export class PeerRoots {
  @Access('verified')
  @Cost(5, { search: 20 })
  @Query(() => PeerConnectionConnection, { description: "The caller's connections; accepted ones by default." })
  peerConnections(
    @Args(() => PeerConnectionsArgs) args: PeerConnectionsArgs,
    @Ctx() context: Context,
  ): Connection<PeerConnectionRow> {
    return new Connection(PeerConnectionConnection, peerConnections(context, args), args);
  }

  @Access('verified')
  @Cost(3)
  @Query(() => [PeerConnection], {
    description: 'Pending requests to the caller, the newest first; at most 500.',
  })
  peerRequests(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<PeerConnectionRow[]> {
    return peerRequests(context, selectionOf(info));
  }

  @Access('verified')
  @Cost(100)
  @Query(() => [PeerSuggestion], {
    description:
      'Users with a similar health profile, the most similar first. Requires that both sides have opted in to the community.',
  })
  suggestedPeers(
    @Arg('limit', () => Int, { defaultValue: 20, description: 'Maximum number, 1 to 50.' }) limit: number,
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
    description: 'Sends a connection request. Accepts a pending request of the other user instead.',
  })
  connectPeer(@Args(() => PeerRequestArgs) args: PeerRequestArgs, @Ctx() context: Context): Promise<PeerConnectionRow> {
    return requestConnection(context, args);
  }

  @Access('verified')
  @Mutation(() => PeerConnection, {
    description:
      "Accepts, declines or blocks a connection. Declining also withdraws the caller's request, disconnects and unblocks.",
  })
  answerConnection(
    @Args(() => AnswerArgs) { id, status, action }: AnswerArgs,
    @Ctx() context: Context,
  ): Promise<PeerConnectionRow> {
    return answerConnection(context, id, (status ?? action ?? undefined) as ConnectionAnswer | undefined);
  }

  @Access('verified')
  @Mutation(() => PeerConnection, {
    description: 'Blocks a user, connected or not. Neither user sees the other from then on.',
  })
  blockUser(
    @Arg('userId', () => GraphQLSafeInt, { description: 'Id of the user.' }) userId: number,
    @Ctx() context: Context,
  ): Promise<PeerConnectionRow> {
    return blockUser(context, userId);
  }
}
