import { ArgsType } from 'type-graphql';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { CalendarDate } from '../../../schema/vocabulary/scalars.ts';
import type { OrderingOptions } from './ordering.ts';

/** The `search` argument of a list. `where` names the searched texts. */
export function searchField(where: string): PropertyDecorator {
  return optionalField(() => String, `Words or "quoted phrases", at most 20. Each must occur in ${where}.`);
}

/** The `ordering` argument of a list. `fallback` says the default order. */
export function orderingField({ names }: OrderingOptions, fallback = 'the newest first'): PropertyDecorator {
  return optionalField(
    () => String,
    `Comma-separated sort keys: ${Object.keys(names).join(', ')}; a leading - reverses one. Unknown keys are ignored; ${fallback} by default.`,
  );
}

/** The `asOf` argument of a list of the REST contract: see `ListSource.asOf`. */
export function asOfField(): PropertyDecorator {
  return optionalField(() => String, 'Anchor of an earlier page: the list as it was then.');
}

/**
 * The `orderBy` argument of a list.
 * @param order an enum whose internal values are keys in the syntax of `ordering`
 */
export function orderByField(order: () => object): PropertyDecorator {
  return optionalField(() => [order()], 'Sort keys, most significant first; newest first by default.');
}

/** Arguments of a list that is filtered by days. */
@ArgsType()
export class DateRangeArgs extends ConnectionArgs {
  @optionalField(() => CalendarDate, 'First day, in the time zone of the profile.') from?: string | null;
  @optionalField(() => CalendarDate, 'Last day, in the time zone of the profile.') to?: string | null;
}
