import type { FieldNode, GraphQLField } from 'graphql';
import type { FieldCost } from '../../schema/vocabulary/cost.ts';
import { decodeCursor } from '../../schema/vocabulary/cursor.ts';
import { argumentValue, type CoercedVariables } from './query-arguments.ts';

type Field = GraphQLField<unknown, unknown>;

/** Rows that OFFSET skips per unit. PostgreSQL reads about one buffer per skipped row; a unit is about 100 buffers. */
const skippedRowsPerUnit = 100;
/**
 * Maximum units for skipped rows: ten points, or 100,000 rows. A page beyond the end of a short list reads no more than the
 * list, so a cursor far beyond it must not use up the hourly limit.
 */
const maxSkipUnits = 1_000;

/**
 * Database work of one resolution of a field, in units: what `@Cost` declares for the field and its arguments, else 1 for a
 * page (a field with the argument `first`) and 0 for any other field; plus 1 for each 100 rows that a cursor skips.
 */
export function fieldUnits(field: Field, node: FieldNode, variables: CoercedVariables): number {
  const given = (name: string): unknown => {
    const argument = field.args.find(one => one.name === name);
    return argument && argumentValue(argument, node, variables);
  };
  const isPage = field.args.some(({ name }) => name === 'first');
  const declared = declaredCost(field);
  let units = declared?.units ?? (isPage ? 1 : 0);
  for (const [name, more] of Object.entries(declared?.given ?? {})) if (isFilter(given(name))) units += more;
  if (isPage) units += Math.max(cursorUnits(given('after')), cursorUnits(given('before')));
  return units;
}

/** The cost declared by `@Cost`, if any. */
export function declaredCost({ extensions }: Pick<Field, 'extensions'>): FieldCost | undefined {
  return extensions.databaseCost as FieldCost | undefined;
}

/** Whether an argument value restricts the result. Blank strings and empty lists do not. */
function isFilter(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return Array.isArray(value) ? value.length > 0 : typeof value !== 'string' || value.trim() !== '';
}

function cursorUnits(cursor: unknown): number {
  const position = typeof cursor === 'string' ? (decodeCursor(cursor) ?? 0) : 0;
  return Math.min(maxSkipUnits, Math.floor(position / skippedRowsPerUnit));
}
