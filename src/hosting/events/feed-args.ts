import { ArgsType, Field, Int } from 'type-graphql';
import { EventType } from '../../../schema/hosting/event.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';

/** Which events of a feed are wanted. */
export interface EventFilter {
  types?: string[] | null;
}

const types = () =>
  Field(() => [EventType], {
    nullable: true,
    description:
      'Event types to include; all when null. They are searched for among the newest 10,000 events of the feed, of received events the newest 300.',
  });
const publicOnly = () =>
  Field(() => Boolean, { defaultValue: false, description: 'Whether to leave out events of private repositories.' });

@ArgsType()
export class EventArgs extends ConnectionArgs implements EventFilter {
  @types() types?: string[] | null;
}

@ArgsType()
export class AccountEventArgs extends EventArgs {
  @publicOnly() publicOnly!: boolean;
}

/** Arguments of a feed as the REST API serves it: by page number, and not at all while the client's copy is current. */
@ArgsType()
export class FeedArgs implements EventFilter {
  @Field(() => Int, { defaultValue: 30, description: 'Events per page, 1 to 100.' })
  first!: number;

  @Field(() => Int, { defaultValue: 1, description: 'Page number, from 1.' })
  page!: number;

  @types() types?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'ETag of the page that the client has, or an If-None-Match list.',
  })
  unless?: string | null;
}

@ArgsType()
export class AccountFeedArgs extends FeedArgs {
  @publicOnly() publicOnly!: boolean;
}
