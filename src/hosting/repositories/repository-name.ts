import type { ValidationEntry } from '../../errors/errors.ts';
import type { TextLimits } from '../text-problems.ts';

const maxLength = 100;
const namePattern = '^[\\w.-]+$';
const nameText = new RegExp(namePattern);

/** Limits of the name of a repository. */
export const repositoryNameLimits = { minLength: 1, maxLength, pattern: namePattern } as const satisfies TextLimits;

/** Reserved by the git protocol and by URLs. */
const reservedName = /^\.{1,2}$|\.(git|wiki)$/i;

/** Look-up key of a name, in lower case; undefined when the name is invalid. ASCII only, like logins. */
export function repositoryKey(text: string): string | undefined {
  return text.length <= maxLength && nameText.test(text) && !reservedName.test(text) ? text.toLowerCase() : undefined;
}

/** Validates the name of a repository. */
export function nameProblems(name: string): ValidationEntry[] {
  if (repositoryKey(name) !== undefined) return [];
  const message = `A name has up to ${maxLength} ASCII letters, digits, dots, hyphens and underscores; it is no dots alone and does not end in .git or .wiki.`;
  return [{ resource: 'Repository', field: 'name', code: 'custom', message }];
}
