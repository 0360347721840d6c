import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import { EventConnection, ForkPayload, MemberPayload } from '../../../schema/hosting/event.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import type { EventObject, EventPayloadObject } from './build-event.ts';
import { eventList } from './event-list.ts';
import type { Feed } from './feed.ts';
import { AccountEventArgs, EventArgs } from './feed-args.ts';
import { feedOfAccount, feedOfMember, publicOwnerFeed, repositoryFeed } from './feeds-of.ts';

@Resolver()
export class EventRoots {
  @Access('public')
  @Cost(3)
  @Query(() => EventConnection, {
    nullable: true,
    description: 'Events of all public repositories, newest first, with a delay of five minutes.',
  })
  publicEvents(@Args(() => EventArgs) args: EventArgs, @Ctx() context: Context): Connection<EventObject> {
    return eventsOf(context, { kind: 'everything', publicOnly: true, types: args.types }, args);
  }
}

const eventsOf = (context: Context, feed: Feed, args: ConnectionArgs): Connection<EventObject> =>
  new Connection(EventConnection, eventList(context, feed), args);

@Resolver(() => Repository)
export class RepositoryEvents {
  @Cost(3)
  @FieldResolver(() => EventConnection, { nullable: true, description: 'Events of the repository, newest first.' })
  events(
    @Root() row: OwnedRow,
    @Args(() => EventArgs) args: EventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    return eventsOf(context, repositoryFeed(row, args), args);
  }

  @Cost(3)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description: 'Events of the public repositories of the fork network, newest first.',
  })
  networkEvents(
    @Root() row: OwnedRow,
    @Args(() => EventArgs) args: EventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    const id = row.networkRootId ?? row.databaseId;
    return eventsOf(context, { kind: 'network', id, publicOnly: true, types: args.types }, args);
  }
}

@Resolver(() => Organization)
export class OrganizationEvents {
  @Cost(3)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description: 'Events of the public repositories of the organization, newest first.',
  })
  events(
    @Root() row: AccountRow,
    @Args(() => EventArgs) args: EventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    return eventsOf(context, publicOwnerFeed(row, args), args);
  }
}

@Resolver(() => User)
export class UserEvents {
  @Cost(3)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description:
      'Events that the user caused, newest first. Those of private repositories are shown to the user alone.',
  })
  events(
    @Root() row: AccountRow,
    @Args(() => AccountEventArgs) args: AccountEventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    return eventsOf(context, feedOfAccount(context, 'actor', row, args), args);
  }

  @Cost(15)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description:
      'Events of watched repositories and followed users. Those of private repositories are shown to the user alone.',
  })
  receivedEvents(
    @Root() row: AccountRow,
    @Args(() => AccountEventArgs) args: AccountEventArgs,
    @Ctx() context: Context,
  ): Connection<EventObject> {
    return eventsOf(context, feedOfAccount(context, 'received', row, args), args);
  }

  @Cost(10)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description: 'Events of the repositories of an organization that you can see; null unless the user is you.',
  })
  async organizationEvents(
    @Root() row: AccountRow,
    @Arg('login', () => String, { description: 'Login of the organization.' }) organization: string,
    @Args(() => EventArgs) args: EventArgs,
    @Ctx() context: Context,
  ): Promise<Connection<EventObject> | null> {
    const feed = await feedOfMember(context, row, organization, args);
    return feed && eventsOf(context, feed, args);
  }
}

@Resolver(() => ForkPayload)
export class ForkPayloadFields {
  @FieldResolver(() => Repository, { nullable: true })
  forkee(
    @Root() { forkeeId }: EventPayloadObject,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> | null {
    return forkeeId === undefined ? null : context.load(repositoriesByIds, selectionOf(info)).load(forkeeId);
  }
}

@Resolver(() => MemberPayload)
export class MemberPayloadFields {
  @FieldResolver(() => User, { nullable: true })
  member(
    @Root() { memberId }: EventPayloadObject,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    return memberId === undefined ? null : context.load(accountsByIds, selectionOf(info)).load(memberId);
  }
}
