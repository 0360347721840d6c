import { isCommonPassword } from './common-passwords.ts';
import { maxPasswordLength, normalizePassword, passwordLength } from './password-text.ts';
import { findSimilarTexts } from './similar-words.ts';

/** What a password must not be like. Null and undefined count as unknown. */
export interface PersonalDetails {
  email?: string | null | undefined;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
}

/** Code points: ASVS 6.2.1 and the validators that the published sentences come from ask for the same. */
const minPasswordLength = 8;

export const passwordMessages = {
  tooShort: `This password is too short. It must contain at least ${minPasswordLength} characters.`,
  tooLong: `This password is too long. It must contain at most ${maxPasswordLength} characters.`,
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
export function passwordProblems(password: string, details: PersonalDetails = {}): string[] {
  const length = passwordLength(password);
  // First and alone: everything below takes time with the length.
  if (length === undefined) return [passwordMessages.tooLong];
  if (!password.isWellFormed()) return [passwordMessages.notText];
  const text = normalizePassword(password);
  const problems: string[] = [];
  if ([...text].length < minPasswordLength) problems.push(passwordMessages.tooShort);
  if (isCommonPassword(text)) problems.push(passwordMessages.common);
  const similar = findSimilarTexts(text, {
    'email address': details.email,
    'first name': details.firstName,
    'last name': details.lastName,
    'name of this service': 'Portico',
  });
  return [...problems, ...similar.map(passwordMessages.similar)];
}
