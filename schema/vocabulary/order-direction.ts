import { registerEnumType } from 'type-graphql';

/** Direction of an order. */
export const OrderDirection = { ASC: 'ASC', DESC: 'DESC' } as const;
export type OrderDirectionName = keyof typeof OrderDirection;
registerEnumType(OrderDirection, { name: 'OrderDirection', description: 'Direction of an order.' });
