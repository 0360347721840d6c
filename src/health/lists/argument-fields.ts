import { ArgsType } from 'type-graphql';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { CalendarDate } from '../../../schema/vocabulary/scalars.ts';

/** The `search` argument of a list. `where` names the searched texts. */
export function searchField(where: string): PropertyDecorator {
  return optionalField(() => String, `Words or "quoted phrases", at most 20. Each must occur in ${where}.`);
}

/** The `asOf` argument of a list: see `ListSource.asOf`. */
export function asOfField(): PropertyDecorator {
  return optionalField(() => String, '`pageInfo.asOf` of an earlier page: the list without what was added since.');
}

/**
 * The `orderBy` argument of a list.
 * @param order an enum whose internal values are sort keys
 * @param fallback the default order
 */
export function orderByField(order: () => object, fallback = 'newest first'): PropertyDecorator {
  return optionalField(() => [order()], `Sort keys, most significant first; ${fallback} by default.`);
}

/** Arguments of a list that is filtered by days. */
@ArgsType()
export class DateRangeArgs extends ConnectionArgs {
  @optionalField(() => CalendarDate, 'First day, in the time zone of the profile.') from?: string | null;
  @optionalField(() => CalendarDate, 'Last day, in the time zone of the profile.') to?: string | null;
}
