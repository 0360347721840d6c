import { registerEnumType } from 'type-graphql';

/** Direction of an order, as SQL keywords. */
export const OrderDirection = { ASC: 'asc', DESC: 'desc' } as const;
export type OrderDirection = (typeof OrderDirection)[keyof typeof OrderDirection];
registerEnumType(OrderDirection, { name: 'OrderDirection', description: 'Direction of an order.' });
