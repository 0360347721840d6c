/** What a table has of a person, in words for people who do not program. `docs/privacy.md` is printed from it. */
interface PersonalData {
  readonly what: string;
  /** Completes «stored to …». */
  readonly purpose: string;
  readonly kept: string;
  /** Who sees it besides the person and the operator. */
  readonly seenBy: string;
  /** Keys of `GET /auth/me/export/`, or a sentence that says why it has none. */
  readonly inExport: readonly string[] | string;
  /** What the erasure of an account leaves; absent: nothing. */
  readonly left?: string;
}

const declared = new Map<unknown, PersonalData>();

/** Declares the personal data of a table, beside its class. */
export function Personal(data: PersonalData): ClassDecorator {
  return target => {
    declared.set(target, data);
  };
}

/** The declaration of an entity class; undefined for one without data of people. */
export const personalDataOf = (entity: unknown): PersonalData | undefined => declared.get(entity);
