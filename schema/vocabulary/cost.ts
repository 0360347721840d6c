import { Extensions } from 'type-graphql';

/**
 * Database work of one resolution of a field, in units. One unit is the work of one page: a statement that reads some hundred
 * buffers. 100 units are one point of the rate limit.
 */
export interface FieldCost {
  /** Units of every resolution, independent of the arguments. */
  readonly units: number;
  /** Argument → units that it adds when its value is not null, false or empty. */
  readonly given: Readonly<Record<string, number>>;
}

/**
 * Declares the database work of a field. The default is one unit for a page or a root field, and none otherwise.
 * `test/limits/field-costs.test.ts` compares the figures of root fields with measured work.
 */
export function Cost(units: number, given: FieldCost['given'] = {}): MethodDecorator & PropertyDecorator {
  const databaseCost: FieldCost = { units, given };
  return Extensions({ databaseCost });
}
