import { isCommon } from './common-passwords.ts';
import { longestPassword, passwordLength, passwordText } from './password-text.ts';
import { similarTo } from './similar-words.ts';

/** What a password must not be like. Null and undefined count as unknown. */
export interface About {
  email?: string | null | undefined;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
}

/** Code points: ASVS 6.2.1 and the validators that the published sentences come from ask for the same. */
const shortestPassword = 8;

export const sentences = {
  tooShort: `This password is too short. It must contain at least ${shortestPassword} characters.`,
  tooLong: `This password is too long. It must contain at most ${longestPassword} characters.`,
  notText: 'This password contains half of a character.',
  common: 'This password is too common.',
  similar: (what: string): string => `The password is too similar to the ${what}.`,
};

/**
 * What is wrong with a new password, one sentence each; none when it may be used.
 *
 * No rules of composition, so nothing about digits only, capitals or marks: they are what ASVS 6.2.5 forbids, and the digits
 * that people do choose are on the list of common passwords. Breaches are not asked about: that needs the network.
 */
export function passwordProblems(password: string, about: About = {}): string[] {
  const length = passwordLength(password);
  // First and alone: everything below takes time with the length.
  if (length === undefined) return [sentences.tooLong];
  if (!password.isWellFormed()) return [sentences.notText];
  const text = passwordText(password);
  const problems: string[] = [];
  if ([...text].length < shortestPassword) problems.push(sentences.tooShort);
  if (isCommon(text)) problems.push(sentences.common);
  const similar = similarTo(text, {
    'email address': about.email,
    'first name': about.firstName,
    'last name': about.lastName,
    'name of this service': 'Portico',
  });
  return [...problems, ...similar.map(sentences.similar)];
}
