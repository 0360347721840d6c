import type { ValidationEntry } from '../../errors/errors.ts';

const maxLength = 100;
const nameText = /^[\w.-]+$/;
/** Taken by paths of the git protocol and of the addresses themselves. */
const reservedName = /^\.{1,2}$|\.(git|wiki)$/i;

/** A name as it is looked up: in lower case, or undefined for a text that no name can be. ASCII alone, as logins are. */
export function repositoryKey(text: string): string | undefined {
  return text.length <= maxLength && nameText.test(text) && !reservedName.test(text) ? text.toLowerCase() : undefined;
}

/** What is wrong with a name that a repository shall have. */
export function nameProblems(name: string): ValidationEntry[] {
  if (repositoryKey(name) !== undefined) return [];
  const message = `A name has up to ${maxLength} ASCII letters, digits, dots, hyphens and underscores; it is no dots alone and does not end in .git or .wiki.`;
  return [{ resource: 'Repository', field: 'name', code: 'custom', message }];
}
