import type { RawBuilder } from 'kysely';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { Actor } from '../../auth/actor.ts';

/** Access scopes of fields below a parent whose row has the decision about the caller under the name of each that is selected. */
type JudgedFields = Readonly<Record<string, HostingScope>>;

/** Columns of the decisions for the select list of the parent: a field that is read costs no statement to decide. */
export const decisionColumns = (
  judged: JudgedFields,
  decide: (actor: Actor, scope: HostingScope) => RawBuilder<unknown>,
): Record<string, (context: { actor: Actor }) => RawBuilder<unknown>> =>
  Object.fromEntries(Object.entries(judged).map(([field, scope]) => [field, ({ actor }) => decide(actor, scope)]));

/** The decision about a field. @throws TypeError when the row was read for a selection without it */
export function decisionOf<Field extends string, Decision>(
  row: Partial<Record<Field, Decision>>,
  field: Field,
): Decision {
  const decision = row[field];
  if (decision === undefined) throw new TypeError(`The row has no decision about ${field}.`);
  return decision;
}
