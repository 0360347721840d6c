import { registerEnumType } from 'type-graphql';

/** Values of an order enum: `<KEY>_ASC` and `<KEY>_DESC` → sort key of a query, with `-` in front for descending. */
type SortOrder = Readonly<Record<string, string>>;

/**
 * Declares the order enum of a list.
 * @param items what the list holds, in the plural: «goals»
 * @param keys name in the enum → sort key of the query
 */
export function sortOrder(name: string, items: string, keys: Readonly<Record<string, string>>): SortOrder {
  const values = Object.entries(keys).flatMap(([key, sortKey]) => [
    [`${key}_ASC`, sortKey],
    [`${key}_DESC`, `-${sortKey}`],
  ]);
  const order = Object.fromEntries(values);
  registerEnumType(order, { name, description: `Sort key of ${items}.` });
  return order;
}
