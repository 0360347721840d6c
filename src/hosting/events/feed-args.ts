import { ArgsType, Field } from 'type-graphql';
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

  @Field(() => String, {
    nullable: true,
    description:
      'Digest of the page that you have, or a text with several. If it is still that of the page, `nodes` is empty and `totalCount` 0.',
  })
  knownDigest?: string | null;
}

@ArgsType()
export class AccountEventArgs extends EventArgs {
  @publicOnly() publicOnly!: boolean;
}
