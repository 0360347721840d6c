import { Field, ID, InputType, Int, InterfaceType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { OrderDirection } from '../vocabulary/order-direction.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { User } from './account.ts';

export const StargazerConnection = connectionOf('Stargazer', () => User, 'stargazers', {
  edgeFields: { starredAt: [() => DateTime, 'Time of the star.'] },
});

export const StarOrderField = { STARRED_AT: 'starred_at', UPDATED_AT: 'updated_at' } as const;
export type StarOrderField = (typeof StarOrderField)[keyof typeof StarOrderField];
registerEnumType(StarOrderField, {
  name: 'StarOrderField',
  description: 'Key of an order of stars.',
  valuesConfig: {
    UPDATED_AT: {
      description: 'Last change of the starred repository; of the stargazers of one, the time of the star.',
    },
  },
});

@InputType({ description: 'Order of stars.' })
export class StarOrder {
  @Field(() => StarOrderField, { description: 'Property that stars are ordered by.' }) field!: StarOrderField;
  @Field(() => OrderDirection, { description: 'Direction of the order of stars.' }) direction!: OrderDirection;
}

@InterfaceType({ description: 'Object that users can star.' })
export abstract class Starrable {
  @Computed(() => ID, 'Global id. Pass it to `node(id:)`.')
  id!: unknown;

  @Computed(() => Int, 'Number of stars.')
  stargazerCount!: number;

  @Computed(() => Boolean, 'Whether you have starred the object.')
  viewerHasStarred!: boolean;
}

export const SubscriptionState = {
  SUBSCRIBED: 'subscribed',
  UNSUBSCRIBED: 'unsubscribed',
  IGNORED: 'ignored',
} as const;
export type SubscriptionState = (typeof SubscriptionState)[keyof typeof SubscriptionState];
registerEnumType(SubscriptionState, {
  name: 'SubscriptionState',
  description: 'Subscription of a user to the events of an object.',
  valuesConfig: {
    SUBSCRIBED: { description: 'The user watches the object.' },
    UNSUBSCRIBED: { description: 'The user does not watch the object.' },
    IGNORED: { description: 'Not offered: no object has it, and setting it is an error.' },
  },
});

@InterfaceType({ description: 'Object whose events users can subscribe to.' })
export abstract class Subscribable {
  @Computed(() => ID, 'Global id. Pass it to `node(id:)`.')
  id!: unknown;

  @Computed(() => Boolean, 'Whether you can subscribe to the object.')
  viewerCanSubscribe!: boolean;

  @Computed(() => SubscriptionState, 'Your subscription; null if you are no user.', { null: true })
  viewerSubscription!: SubscriptionState | null;
}
