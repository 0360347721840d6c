import { Extensions } from 'type-graphql';

/** Declares the maximum number of items of a list that is no connection. The cost of a query counts that many, 100 by default. */
export function ListSize(listSize: number): MethodDecorator & PropertyDecorator {
  return Extensions({ listSize });
}
