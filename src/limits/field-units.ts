import type { FieldNode, GraphQLField } from 'graphql';
import type { FieldCost } from '../../schema/vocabulary/cost.ts';
import { argumentValue, type CoercedVariables } from './query-arguments.ts';

type Field = GraphQLField<unknown, unknown>;

/**
 * Rows before the page that PostgreSQL passes over for one unit. A row that is skipped takes about one buffer, a unit is some
 * hundred of them.
 */
const skippedRowsPerUnit = 100;
/**
 * Units for skipped rows at most: ten points, or 100,000 rows. A page behind the end of a short list reads no more than
 * the list, and must not use up the whole hour.
 */
const maxSkipUnits = 1_000;

/**
 * Database work of one resolution of a field, in units: what `@Cost` declares for the field and its arguments, else one for
 * a page (whatever takes `first`) and none for any other field; and one for each 100 rows that `page` skips.
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
  if (isPage) units += skipUnits(given('page'), given('first'));
  return units;
}

/** The cost that a field declares, if it does. */
export function declaredCost({ extensions }: Pick<Field, 'extensions'>): FieldCost | undefined {
  return extensions.databaseCost as FieldCost | undefined;
}

/** Blank texts and empty lists filter nothing. */
function isFilter(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return Array.isArray(value) ? value.length > 0 : typeof value !== 'string' || value.trim() !== '';
}

function skipUnits(page: unknown, first: unknown): number {
  if (typeof page !== 'number' || typeof first !== 'number' || !(page > 1) || !(first > 0)) return 0;
  return Math.min(maxSkipUnits, Math.floor(((page - 1) * first) / skippedRowsPerUnit));
}
