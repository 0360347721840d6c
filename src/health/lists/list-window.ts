import { type RawBuilder, sql } from 'kysely';
import { refuse } from '../../db/connection.ts';

/** A list as it was at a time, so that pages repeat and skip nothing while others write. */
export interface ListWindow {
  /** Rows of later times do not belong to it. */
  until: Date;
  /** Nor do rows of greater numbers, where the time of a row does not tell when it was stored; undefined: all. */
  newest: number | undefined;
}

/**
 * The window of an anchor, which the links of a page carry; undefined without one. Never later than now: what is scheduled stays hidden.
 * @throws GraphQLError BAD_USER_INPUT for a text that is no anchor
 */
export function readWindow(now: () => Date, asOf: string | null | undefined): ListWindow | undefined {
  if (!asOf) return undefined;
  const [, until, newest] = /^(\d{1,14})(?:\.(\d{1,15}))?$/.exec(asOf) ?? [];
  if (until === undefined) refuse('asOf', 'as_of is no anchor of this list. Take it from the links of a page.');
  const time = Math.min(Number(until), now().getTime());
  return { until: new Date(time), newest: newest === undefined ? undefined : Number(newest) };
}

/** The anchor of a window. */
export const anchorOf = ({ until, newest }: ListWindow): string =>
  newest === undefined ? String(until.getTime()) : `${until.getTime()}.${newest}`;

/** The anchor of a list whose rows tell when they were stored: the one given, or that of the list as it is now. */
export const anchorOfTime = (now: () => Date, window: ListWindow | undefined): string =>
  anchorOf(window ?? { until: now(), newest: undefined });

/** Condition: a row was stored until the end of a window. No condition without a window. @param column SQL of the time */
export const storedUntil = (window: ListWindow | undefined, column: string): RawBuilder<unknown>[] =>
  window ? [sql`${sql.raw(column)} <= ${window.until.toISOString()}`] : [];
