import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../../schema/hosting/account.ts';
import { EventFeed, EventType, ForkPayload, MemberPayload } from '../../../schema/hosting/event.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { PageArgs, type PageInfo } from '../../../schema/vocabulary/page.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { type AccountRow, accountByLogin, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds, repositoryFor } from '../repositories/repositories.queries.ts';
import type { EventObject, EventPayloadObject } from './build-event.ts';
import { EventFeedObject } from './event-feed.ts';
import { mayReadPrivateFeed } from './feeds.ts';

const noSelection = new Map();
const login = (description = 'The login, in whatever case.') => Arg('login', () => String, { description });

@ArgsType()
class FeedArgs extends PageArgs {
  @Field(() => Int, { defaultValue: 30, description: 'Events on a page, 1 to 100.' })
  override first!: number;

  @Field(() => [EventType], { nullable: true, description: 'Only events of these kinds.' })
  types?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'The `etag` that you have, or several as If-None-Match has them: the page is empty while it is right.',
  })
  unless?: string | null;
}

@ArgsType()
class OpenFeedArgs extends FeedArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Leaves out what happened in private repositories.' })
  publicOnly!: boolean;
}

@Resolver()
export class EventRoots {
  @Access('public')
  @Cost(3)
  @Query(() => EventFeed, { description: 'What happened in all public repositories, five minutes late.' })
  publicEvents(@Args(() => FeedArgs) args: FeedArgs, @Ctx() context: Context): EventFeedObject {
    return new EventFeedObject(context, { of: 'everything', open: true, types: args.types }, args);
  }

  @Access('metadata:read')
  @Cost(3)
  @Query(() => EventFeed, { nullable: true, description: 'What happened in a repository.' })
  async repositoryEvents(
    @Arg('owner', () => String, { description: 'Login of the owner.' }) owner: string,
    @Arg('name', () => String, { description: 'Name of the repository.' }) name: string,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await repositoryFor(context, { owner, name }, 'metadata:read');
    return found && new EventFeedObject(context, repositoryFeed(found, args), args);
  }

  @Access('metadata:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description: 'What happened in the public ones of all repositories that go back to the same first one.',
  })
  async networkEvents(
    @Arg('owner', () => String, { description: 'Login of the owner.' }) owner: string,
    @Arg('name', () => String, { description: 'Name of the repository.' }) name: string,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await repositoryFor(context, { owner, name }, 'metadata:read');
    if (!found) return null;
    const id = found.networkRootId ?? found.databaseId;
    return new EventFeedObject(context, { of: 'network', id, open: true, types: args.types }, args);
  }

  @Access('org-events:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description: 'What happened in the public repositories of an organization.',
  })
  async organizationEvents(
    @login() text: string,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection, 'organization');
    return (
      found && new EventFeedObject(context, { of: 'owner', id: found.databaseId, open: true, types: args.types }, args)
    );
  }

  @Access('user-events:read')
  @Cost(3)
  @Query(() => EventFeed, {
    nullable: true,
    description: 'What a user did; in private repositories only for the user.',
  })
  async userEvents(
    @login() text: string,
    @Args(() => OpenFeedArgs) args: OpenFeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection);
    return found && new EventFeedObject(context, actorFeed(context, found, args), args);
  }

  @Access('user-events:read')
  @Cost(20)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      'What happened in the repositories that a user watches, and what those did whom the user follows; in private repositories only for the user.',
  })
  async receivedEvents(
    @login() text: string,
    @Args(() => OpenFeedArgs) args: OpenFeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const found = await accountByLogin(context, text, noSelection);
    return found && new EventFeedObject(context, receivedFeed(context, found, args), args);
  }

  @Access('user-events:read')
  @Cost(10)
  @Query(() => EventFeed, {
    nullable: true,
    description:
      'What happened in the repositories of an organization that the caller may see; null for everybody but the user of this login.',
  })
  async userOrganizationEvents(
    @login() text: string,
    @Arg('organization', () => String, { description: 'Login of the organization.' }) organization: string,
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: Context,
  ): Promise<EventFeedObject | null> {
    const user = await accountByLogin(context, text, noSelection, 'user');
    if (!user || context.actor.kind !== 'user' || context.actor.accountId !== user.databaseId) return null;
    const found = await accountByLogin(context, organization, noSelection, 'organization');
    if (!found) return null;
    const open = !mayReadPrivateFeed(context.actor, user.databaseId);
    return new EventFeedObject(context, { of: 'owner', id: found.databaseId, open, types: args.types }, args);
  }
}

const repositoryFeed = ({ databaseId: id }: OwnedRow, { types }: FeedArgs) =>
  ({ of: 'repository', id, open: false, types }) as const;

function actorFeed({ actor }: Context, { databaseId: id }: AccountRow, { types, publicOnly }: OpenFeedArgs) {
  return { of: 'actor', id, open: publicOnly || !mayReadPrivateFeed(actor, id), types } as const;
}

function receivedFeed({ actor }: Context, { databaseId: id }: AccountRow, { types, publicOnly }: OpenFeedArgs) {
  return { of: 'received', id, open: publicOnly || !mayReadPrivateFeed(actor, id), types } as const;
}

/** Each asks for what it needs; graphql-jit calls resolvers, and no methods of values. */
@Resolver(() => EventFeed)
export class EventFeedFields {
  @FieldResolver()
  etag(@Root() feed: EventFeedObject): Promise<string> {
    return feed.etag();
  }

  @FieldResolver()
  lastModified(@Root() feed: EventFeedObject): Promise<string | null> {
    return feed.lastModified();
  }

  @FieldResolver()
  nodes(@Root() feed: EventFeedObject): Promise<EventObject[]> {
    return feed.nodes();
  }

  @FieldResolver()
  pageInfo(@Root() feed: EventFeedObject): Promise<PageInfo> {
    return feed.pageInfo();
  }
}

@Resolver(() => Repository)
export class RepositoryEvents {
  @FieldResolver(() => EventFeed, { description: 'What happened in it.' })
  events(@Root() row: OwnedRow, @Args(() => FeedArgs) args: FeedArgs, @Ctx() context: Context): EventFeedObject {
    return new EventFeedObject(context, repositoryFeed(row, args), args);
  }
}

@Resolver(() => Account)
export class AccountEvents {
  @FieldResolver(() => EventFeed, {
    description:
      'What a user did, in private repositories only for the user; of an organization what happened in its public repositories.',
  })
  events(
    @Root() row: AccountRow,
    @Args(() => OpenFeedArgs) args: OpenFeedArgs,
    @Ctx() context: Context,
  ): EventFeedObject {
    const { databaseId: id, kind } = row;
    const { types } = args;
    const feed = kind === 'user' ? actorFeed(context, row, args) : ({ of: 'owner', id, open: true, types } as const);
    return new EventFeedObject(context, feed, args);
  }

  @Cost(15)
  @FieldResolver(() => EventFeed, {
    description:
      'What happened in the repositories that a user watches, and what those did whom the user follows; in private repositories only for the user.',
  })
  receivedEvents(
    @Root() row: AccountRow,
    @Args(() => OpenFeedArgs) args: OpenFeedArgs,
    @Ctx() context: Context,
  ): EventFeedObject {
    return new EventFeedObject(context, receivedFeed(context, row, args), args);
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
  @FieldResolver(() => Account, { nullable: true })
  member(
    @Root() { memberId }: EventPayloadObject,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccountRow | null> | null {
    return memberId === undefined ? null : context.load(accountsByIds, selectionOf(info)).load(memberId);
  }
}
