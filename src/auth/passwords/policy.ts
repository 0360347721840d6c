import { isCommonPassword } from './common-passwords.ts';
import { maxPasswordLength, normalizePassword, passwordLength } from './password-text.ts';
import { findSimilarTexts } from './similar-words.ts';

/** Personal data that a password must not resemble. Null and undefined count as unknown. */
export interface PersonalDetails {
  email?: string | null | undefined;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
}

/** Code points. ASVS 6.2.1 and the published validation messages agree on it. */
export const minPasswordLength = 8;

export const passwordMessages = {
  tooShort: `This password is too short. It must contain at least ${minPasswordLength} characters.`,
  tooLong: `This password is too long. It must contain at most ${maxPasswordLength} characters.`,
  notText: 'This password contains half of a character.',
  common: 'This password is too common.',
  similar: (what: string): string => `The password is too similar to the ${what}.`,
};

/**
 * Validates a new password. Returns one message per problem; an empty list when it is acceptable.
 *
 * ASVS 6.2.5 forbids composition rules (digits, capitals, symbols), and the usual all-digit passwords are on the list of common
 * ones. Breach databases are not queried, because that needs the network.
 */
export function passwordProblems(password: string, details: PersonalDetails = {}): string[] {
  const length = passwordLength(password);
  // Checked first: the time of everything below grows with the length.
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
