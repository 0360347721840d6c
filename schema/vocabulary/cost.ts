import { Extensions } from 'type-graphql';

/**
 * Database work of one resolution of a field, in units. A unit is the work of one page: one statement of some hundred
 * buffers; a hundred units are one point of the rate limit.
 */
export interface FieldCost {
  /** Whatever the arguments are. */
  readonly units: number;
  /** Argument → units it adds where it is given and is not null, false or empty. */
  readonly given: Readonly<Record<string, number>>;
}

/**
 * Declares the database work of a field, beside the field. A field without it costs one unit where it reads a page or is a
 * root field, and nothing otherwise. `test/limits/field-costs.test.ts` holds the figures of root fields to measured work.
 */
export function Cost(units: number, given: FieldCost['given'] = {}): MethodDecorator & PropertyDecorator {
  const databaseCost: FieldCost = { units, given };
  return Extensions({ databaseCost });
}
