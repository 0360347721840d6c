import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { Organization, User } from '../../../schema/hosting/account.ts';
import { EventConnection, ForkPayload, MemberPayload } from '../../../schema/hosting/event.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import type { EventPayloadObject } from './build-event.ts';
import { EventPage } from './event-page.ts';
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
  publicEvents(@Args(() => EventArgs) args: EventArgs, @Ctx() context: Context): EventPage {
    return new EventPage(context, { kind: 'everything', publicOnly: true, types: args.types }, args);
  }
}

@Resolver(() => Repository)
export class RepositoryEvents {
  @Cost(3)
  @FieldResolver(() => EventConnection, { nullable: true, description: 'Events of the repository, newest first.' })
  events(@Root() row: OwnedRow, @Args(() => EventArgs) args: EventArgs, @Ctx() context: Context): EventPage {
    return new EventPage(context, repositoryFeed(row, args), args);
  }

  @Cost(3)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description: 'Events of the public repositories of the fork network, newest first.',
  })
  networkEvents(@Root() row: OwnedRow, @Args(() => EventArgs) args: EventArgs, @Ctx() context: Context): EventPage {
    const id = row.networkRootId ?? row.databaseId;
    return new EventPage(context, { kind: 'network', id, publicOnly: true, types: args.types }, args);
  }
}

@Resolver(() => Organization)
export class OrganizationEvents {
  @Access('org-events:read')
  @Cost(3)
  @FieldResolver(() => EventConnection, {
    nullable: true,
    description: 'Events of the public repositories of the organization, newest first.',
  })
  events(@Root() row: AccountRow, @Args(() => EventArgs) args: EventArgs, @Ctx() context: Context): EventPage {
    return new EventPage(context, publicOwnerFeed(row, args), args);
  }
}

@Resolver(() => User)
export class UserEvents {
  @Access('user-events:read')
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
  ): EventPage {
    return new EventPage(context, feedOfAccount(context, 'actor', row, args), args);
  }

  @Access('user-events:read')
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
  ): EventPage {
    return new EventPage(context, feedOfAccount(context, 'received', row, args), args);
  }

  @Access('user-events:read')
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
  ): Promise<EventPage | null> {
    const feed = await feedOfMember(context, row, organization, args);
    return feed && new EventPage(context, feed, args);
  }
}

/** Explicit resolvers, because each has a cost. */
@Resolver(() => EventConnection)
export class EventPageFields {
  @Cost(2)
  @FieldResolver(() => String, {
    description: 'Digest of the events of the page and of the names in them: equal digests are equal pages.',
  })
  digest(@Root() page: EventPage): Promise<string> {
    return page.digest();
  }

  @Cost(2)
  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'Time of the newest event of the page; null for none.',
  })
  newestAt(@Root() page: EventPage): Promise<string | null> {
    return page.newestAt();
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
