/** What a feed may lack. */
export type Maybe<T> = T | undefined;

/** Names only: e-mail addresses of authors are never published, also when given in place of a name. */
export function personNames(people: Maybe<{ name?: string }[]>): string[] {
  return nonBlank((people ?? []).map(({ name }) => name));
}

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const isImage = (type: Maybe<string>): boolean => /^image\//i.test(type ?? '');
export const httpAddress = (text: Maybe<string>): Maybe<string> =>
  /^\s*https?:\/\//i.test(text ?? '') ? text : undefined;
export const nonBlank = (texts: Maybe<string>[]): string[] =>
  texts.filter(text => text !== undefined && text.trim() !== '') as string[];
export const firstNonEmpty = (...lists: Maybe<string[]>[]): string[] =>
  lists.find(list => list && list.length > 0) ?? [];
