/** Settings of the operator with a number of days. */
export type RetentionSetting = 'MODERATION_RETENTION_DAYS' | 'RULE_SUITE_RETENTION_DAYS';

/** How long rows of a table stay. `docs/retention.md` is printed from it. */
export type Retention =
  /** The job `retention` deletes rows so many days after the time in a column; a setting replaces the number. */
  | { readonly days: number; readonly since: string; readonly setting?: RetentionSetting }
  /** A job of its own deletes them; `rows` completes «Rows stay …». */
  | { readonly rows: string; readonly job: string }
  /** They go with something else, or their number has a bound; `rows` completes «Rows stay …». */
  | { readonly rows: string; readonly job?: undefined };

const declared = new Map<unknown, Retention>();

/** Declares how long rows stay, beside the class of the table. `since` is a property with a time. */
export function Retained<T>(
  retention:
    | Exclude<Retention, { since: string }>
    | { days: number; since: keyof T & string; setting?: RetentionSetting },
): (target: new () => T) => void {
  return target => {
    declared.set(target, retention);
  };
}

/** The declaration of an entity class; undefined for one without. */
export const retentionOf = (entity: unknown): Retention | undefined => declared.get(entity);
