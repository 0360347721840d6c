import { Field, InputType } from 'type-graphql';
import { BloodType, Gender, YesNo } from '../../../schema/health/person.ts';
import { Limits, NotNull } from '../../../schema/vocabulary/limits.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { CalendarDate, Decimal, File } from '../../../schema/vocabulary/scalars.ts';
import { decimalLimits } from '../input/decimal-checks.ts';
import { shownConditionLimits } from '../profiles/shown-conditions.ts';
import {
  emailLimits,
  mailTokenLimits,
  measureLimits,
  newPasswordLimits,
  profileLimits,
  registeredNameLimits,
} from './account-limits.ts';
import type { UploadedFile } from './profile-picture.ts';

/** Required text of an input. */
export const textField = (description: string) => Field(() => String, { description });

@InputType({ description: 'Input of `registerHealthAccount`.' })
export class RegisterHealthAccountInput {
  @Limits(emailLimits) @textField('E-mail address, at most 254 characters.') email!: string;
  @Limits(registeredNameLimits) @textField('First name, at most 150 characters.') firstName!: string;
  @Limits(registeredNameLimits) @textField('Last name, at most 150 characters.') lastName!: string;
  @Limits(newPasswordLimits) @textField('Password, at least 8 characters.') password!: string;
  @optionalField(() => String, 'Repetition of the password; not compared when absent.')
  password2?: string | null;
  @optionalField(() => CalendarDate, 'Date of birth, of the minimum age or more; unknown by default.')
  bornOn?: string | null;
}

@InputType({ description: 'Input of `activateHealthAccount`.' })
export class ActivateHealthAccountInput {
  @Limits(mailTokenLimits) @textField('Token of the mail.') token!: string;
  @Limits(newPasswordLimits)
  @optionalField(
    () => String,
    'New password, which replaces the registered one. Required when the address was registered with different passwords.',
  )
  password?: string | null;
  @optionalField(() => String, 'Repetition of the password; not compared when absent.')
  password2?: string | null;
}

@InputType({ description: 'Input of `resendHealthActivation`.' })
export class ResendHealthActivationInput {
  @Limits(emailLimits) @textField('E-mail address that was registered.') email!: string;
}

@InputType({ description: 'Input of `deleteHealthAccount`.' })
export class DeleteHealthAccountInput {
  @optionalField(() => String, 'Refresh token. All of yours end, whether one is given or not.')
  refreshToken?: string | null;
}

@InputType({
  description: 'Input of `updateHealthProfile`. An absent field stays unchanged; null clears the value.',
})
export class UpdateHealthProfileInput {
  @NotNull()
  @optionalField(() => String, 'Current e-mail address; it cannot be changed here.')
  email?: string | null;
  @NotNull()
  @Limits(profileLimits.firstName)
  @optionalField(() => String, 'First name, at most 150 characters.')
  firstName?: string | null;
  @NotNull()
  @Limits(profileLimits.lastName)
  @optionalField(() => String, 'Last name, at most 150 characters.')
  lastName?: string | null;
  @Limits(profileLimits.phoneNumber)
  @optionalField(() => String, 'Telephone number in international format, such as +4915112345678.')
  phoneNumber?: string | null;
  @optionalField(() => Gender, 'Gender of the person; null for unknown.') gender?: string | null;
  @optionalField(() => CalendarDate, 'Date of birth, of the minimum age or more.') bornOn?: string | null;
  @Limits(decimalLimits(measureLimits.weightKg))
  @optionalField(() => Decimal, 'Weight in kilograms, 1 to 500.')
  weightKg?: string | null;
  @Limits(decimalLimits(measureLimits.heightCm))
  @optionalField(() => Decimal, 'Height in centimetres, 30 to 272.')
  heightCm?: string | null;
  @optionalField(() => BloodType, 'Blood group of the person; null for unknown.') bloodType?: string | null;
  @Limits(profileLimits.bloodTypeCode)
  @optionalField(() => String, 'Blood group, such as A, B+ or AB-.')
  bloodTypeCode?: string | null;
  @NotNull()
  @Limits(profileLimits.allergies)
  @optionalField(() => String, 'Allergies, at most 1,000 characters.')
  allergies?: string | null;
  @optionalField(() => YesNo, 'Whether the person has high blood pressure.') hasHypertension?: string | null;
  @optionalField(() => YesNo, 'Whether the person has diabetes.') hasDiabetes?: string | null;
  @optionalField(() => YesNo, 'Whether the person has a chronic condition.') hasChronicCondition?: string | null;
  @optionalField(() => YesNo, 'Whether the person smokes.') isSmoker?: string | null;
  @optionalField(() => YesNo, 'Whether the person had recent surgery.') hadRecentSurgery?: string | null;
  @NotNull()
  @Limits(profileLimits.conditions)
  @optionalField(() => [String], 'Conditions, at most 50 of 100 characters.')
  conditions?: string[] | null;
  @NotNull()
  @Limits(profileLimits.symptoms)
  @optionalField(() => [String], 'Symptoms, at most 50 of 100 characters.')
  symptoms?: string[] | null;
  @NotNull()
  @Limits(profileLimits.aboutMe)
  @optionalField(() => String, 'Self-description, at most 500 characters.')
  aboutMe?: string | null;
  @NotNull()
  @Limits(profileLimits.displayName)
  @optionalField(() => String, 'Name for others, at most 100 characters; empty for none.')
  displayName?: string | null;
  @NotNull()
  @Limits(shownConditionLimits)
  @optionalField(
    () => [String],
    'Conditions and symptoms of the profile that accepted peers see; all others are private.',
  )
  conditionsForPeers?: string[] | null;
  @NotNull()
  @Limits(shownConditionLimits)
  @optionalField(
    () => [String],
    'Conditions and symptoms that suggestions use. They are named to people who show the same; all others are private.',
  )
  conditionsForSuggestions?: string[] | null;
  @NotNull()
  @optionalField(
    () => Boolean,
    'Whether people of the same age group find the person, by `conditionsForSuggestions` alone.',
  )
  isVisibleInCommunity?: boolean | null;
  @optionalField(() => String, 'IANA time zone name; null for UTC.') timeZone?: string | null;
  @NotNull()
  @optionalField(() => Boolean, 'Whether the companion may send profile facts to a language model.')
  isProfileSharedWithAi?: boolean | null;
  @NotNull()
  @optionalField(
    () => Boolean,
    'Whether the companion may send messages to a language model: your consent, or its withdrawal.',
  )
  areMessagesSharedWithAi?: boolean | null;
  @optionalField(() => File, 'Picture: JPEG, PNG or WebP, at most 5 MiB.')
  picture?: UploadedFile | null;
}
