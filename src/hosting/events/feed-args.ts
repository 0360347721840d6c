import { ArgsType, Field, Int } from 'type-graphql';
import { EventType } from '../../../schema/hosting/event.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';

@ArgsType()
export class FeedArgs extends ConnectionArgs {
  @Field(() => Int, { defaultValue: 30, description: 'Events per page, 1 to 100.' })
  override first!: number;

  @Field(() => [EventType], { nullable: true, description: 'Event types to include; all when null.' })
  types?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'ETag of the page that the client has, or an If-None-Match list. `nodes` is empty while it is current.',
  })
  unless?: string | null;
}

@ArgsType()
export class AccountFeedArgs extends FeedArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Whether to leave out events of private repositories.' })
  publicOnly!: boolean;
}
