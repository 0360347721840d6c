import { bloodTypes } from '../../../schema/health/person.ts';
import { maxPasswordLength } from '../../auth/passwords/password-text.ts';
import { minPasswordLength } from '../../auth/passwords/policy.ts';
import type { DecimalConstraint } from '../input/decimal-checks.ts';
import { filledText, filledTexts, type TextLimits } from '../input/text-limits.ts';

/** An address that mail can be sent to. */
export const emailLimits: TextLimits = { ...filledText(254), format: 'email' };

/** A new password; the password policy checks it by the same numbers. */
export const newPasswordLimits = { minLength: minPasswordLength, maxLength: maxPasswordLength };

/** The token of a mail. */
export const mailTokenLimits = { format: 'uuid' };

/** First and last name of a registration. */
export const registeredNameLimits = filledText(150);

const measure = { maxDigits: 5, maxDecimalPlaces: 2 };

/** What is written between the digits of a telephone number. */
const separators = '[\\s().-]*';

/** The fields of a profile. */
export const profileLimits = {
  firstName: filledText(150),
  lastName: { maxLength: 150 },
  displayName: { maxLength: 100 },
  allergies: { maxLength: 1000 },
  aboutMe: { maxLength: 500 },
  phoneNumber: {
    maxLength: 200,
    pattern: `^(${separators}\\+${separators}[1-9](${separators}\\d){6,14}${separators})?$`,
  },
  bloodTypeCode: { enum: [...bloodTypes, ''] },
  conditions: filledTexts(50, 100),
  symptoms: filledTexts(50, 100),
};

/** The measures of a profile. */
export const measureLimits = {
  weightKg: { ...measure, min: 1, max: 500, unit: 'kg' },
  heightCm: { ...measure, min: 30, max: 272, unit: 'cm' },
} as const satisfies Record<string, DecimalConstraint>;
