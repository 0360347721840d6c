import { Arg, Args, ArgsType, Ctx, Field, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { MyData } from '../../../schema/health/my-data.ts';
import { Notice, RegisteredAccount, RenewedTokens, TokenPair } from '../../../schema/health/session.ts';
import { Gender, User, YesNo } from '../../../schema/health/user.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { CalendarDate, Decimal, File } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { findProfile, type ProfileRow } from './accounts.queries.ts';
import { activateAccount } from './activate-account.ts';
import { changePassword } from './change-password.ts';
import { deleteAccount } from './delete-account.ts';
import { type AccountExport, exportAccount } from './export-account.ts';
import { type LoginResult, logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import type { UploadedFile } from './profile-picture.ts';
import { registerAccount } from './register-account.ts';
import { renewTokens } from './renew-tokens.ts';
import { requestMail } from './request-mail.ts';
import { requirePerson } from './require-person.ts';
import { confirmPasswordReset } from './reset-password.ts';
import { startGuest } from './start-guest.ts';
import { updateProfile } from './update-profile.ts';

const textField = (description: string) => Field(() => String, { description });
const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

@ArgsType()
class RegisterArgs {
  @textField('E-mail address, at most 254 characters.') email!: string;
  @textField('First name, at most 150 characters.') firstName!: string;
  @textField('Last name, at most 150 characters.') lastName!: string;
  @textField('Password, at least 8 characters.') password!: string;
  @textField('The password once more.') password2!: string;
}

@ArgsType()
class ActivateArgs {
  @textField('The token of the mail.') token!: string;
  @optionalField(
    () => String,
    'The password to set, in place of the registered one. Needed where the address was registered with different passwords.',
  )
  password?: string | null;
  @optionalField(() => String, 'The password once more; not compared when left out.') password2?: string | null;
}

@ArgsType()
class PasswordArgs {
  @textField('The new password, at least 8 characters.') newPassword!: string;
  @textField('The new password once more.') newPassword2!: string;
}

@ArgsType()
class ChangePasswordArgs extends PasswordArgs {
  @textField('The password that holds now.') oldPassword!: string;
}

@ArgsType()
class ResetPasswordArgs extends PasswordArgs {
  @textField('The token of the mail.') token!: string;
}

@InputType({ description: 'What to change of a profile: absent keys stay as they are, null takes a value away.' })
class ProfileInput {
  @optionalField(() => String, 'Only the address the account has: changing it takes another way.') email?:
    | string
    | null;
  @optionalField(() => String, 'First name, at most 150 characters.') firstName?: string | null;
  @optionalField(() => String, 'Last name, at most 150 characters.') lastName?: string | null;
  @optionalField(() => String, 'Telephone number in the international form.') mobileNo?: string | null;
  @optionalField(() => Gender, 'Gender.') gender?: string | null;
  @optionalField(() => CalendarDate, 'Date of birth, in the past.') dateOfBirth?: string | null;
  @optionalField(() => Decimal, 'Weight in kilograms, 1 to 500.') weightKg?: string | null;
  @optionalField(() => Decimal, 'Height in centimetres, 30 to 272.') heightCm?: string | null;
  @optionalField(() => String, 'Blood group, such as A, B+ or AB-.') bloodType?: string | null;
  @optionalField(() => String, 'Allergies, at most 1,000 characters.') allergies?: string | null;
  @optionalField(() => YesNo, 'High blood pressure?') hasHypertension?: string | null;
  @optionalField(() => YesNo, 'Diabetes?') hasDiabetes?: string | null;
  @optionalField(() => YesNo, 'A chronic condition?') hasChronicCondition?: string | null;
  @optionalField(() => YesNo, 'A smoker?') isSmoker?: string | null;
  @optionalField(() => YesNo, 'Surgery lately?') hadRecentSurgery?: string | null;
  @optionalField(() => [String], 'Conditions, at most 50 of 100 characters.') conditions?: string[] | null;
  @optionalField(() => [String], 'Symptoms, at most 50 of 100 characters.') symptoms?: string[] | null;
  @optionalField(() => String, 'About oneself, at most 500 characters.') aboutMe?: string | null;
  @optionalField(() => Boolean, 'Whether others may find the person in the community.') isVisibleInCommunity?:
    | boolean
    | null;
  @optionalField(() => String, 'Time zone as the IANA database names it; null for UTC.') timeZone?: string | null;
  @optionalField(() => Boolean, 'Whether the companion may tell a language model about the profile.')
  shareProfileWithAi?: boolean | null;
  @optionalField(() => File, 'Picture: JPEG, PNG or WebP of at most 5 MB.') profilePicture?: UploadedFile | null;
}

@Resolver()
export class AccountRoots {
  @Access('account')
  @Query(() => User, { nullable: true, description: 'The account of the caller.' })
  me(@Ctx() context: Context): Promise<ProfileRow | null> {
    return findProfile(context.sql, context, requirePerson(context.actor).userId);
  }

  @Access('account')
  @Cost(100)
  @Query(() => MyData, { description: 'Everything that is stored about the caller.' })
  async myData(@Ctx() context: Context): Promise<AccountExport> {
    context.largeValues.takeAll();
    return exportAccount(context);
  }

  @Access('open')
  @Mutation(() => RegisteredAccount, {
    description:
      'Registers an address and sends it an activation mail. With the token of a guest that account is claimed.',
  })
  register(@Args(() => RegisterArgs) args: RegisterArgs, @Ctx() context: Context): Promise<RegisteredAccount> {
    return registerAccount(context, args);
  }

  @Access('open')
  @Mutation(() => TokenPair, {
    description:
      'Activates an account with the token of its mail and opens a session. Earlier sessions and other registrations of the address end.',
  })
  activate(@Args(() => ActivateArgs) args: ActivateArgs, @Ctx() context: Context): Promise<LoginResult> {
    return activateAccount(context, args);
  }

  @Access('open')
  @Mutation(() => Notice, { description: 'Sends a new activation mail where one is due. The answer does not tell.' })
  async resendActivation(
    @Arg('email', () => String, { description: 'The address.' }) email: string,
    @Ctx() context: Context,
  ): Promise<Notice> {
    await requestMail(context, 'activation', email);
    return { detail: 'If an inactive account exists for this address, a new activation e-mail has been sent.' };
  }

  @Access('open')
  @Mutation(() => TokenPair, { description: 'Opens a session with address and password.' })
  login(
    @Arg('email', () => String, { description: 'The address.' }) email: string,
    @Arg('password', () => String, { description: 'The password.' }) password: string,
    @Ctx() context: Context,
  ): Promise<LoginResult> {
    return logIn(context, { email, password });
  }

  @Access('open')
  @Mutation(() => TokenPair, { description: 'Makes an anonymous guest account and opens its session.' })
  startGuest(@Ctx() context: Context): Promise<LoginResult> {
    return startGuest(context);
  }

  @Access('open')
  @Mutation(() => RenewedTokens, { description: 'Renews a session by its refresh token.' })
  renewTokens(
    @Arg('refresh', () => String, { description: 'The refresh token.' }) refresh: string,
    @Ctx() context: Context,
  ): Promise<RenewedTokens> {
    return renewTokens(context, refresh);
  }

  @Access('account')
  @Mutation(() => Notice, { description: 'Ends the session of a refresh token of the caller.' })
  async logout(
    @Arg('refresh', () => String, { description: 'The refresh token.' }) refresh: string,
    @Ctx() context: Context,
  ): Promise<Notice> {
    await logOut(context, refresh);
    return { detail: 'Successfully logged out.' };
  }

  @Access('account')
  @Mutation(() => User, { description: "Changes the caller's own profile." })
  updateMe(
    @Arg('input', () => ProfileInput, { description: 'The changes.' }) input: ProfileInput,
    @Ctx() context: Context,
  ): Promise<ProfileRow> {
    return updateProfile(context, input);
  }

  @Access('account')
  @Mutation(() => Boolean, { description: 'Deletes the account of the caller and ends all its sessions.' })
  async deleteMe(
    @Arg('refresh', () => String, { nullable: true, description: 'A refresh token of the caller.' }) refresh:
      | string
      | null
      | undefined,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteAccount(context, refresh);
    return true;
  }

  @Access('verified')
  @Mutation(() => TokenPair, {
    description: 'Changes the password of the caller. All sessions end, and a new one is opened.',
  })
  changePassword(
    @Args(() => ChangePasswordArgs) args: ChangePasswordArgs,
    @Ctx() context: Context,
  ): Promise<LoginResult> {
    return changePassword(context, args);
  }

  @Access('open')
  @Mutation(() => Notice, {
    description: 'Sends a mail for setting a new password where there is an account. The answer does not tell.',
  })
  async requestPasswordReset(
    @Arg('email', () => String, { description: 'The address.' }) email: string,
    @Ctx() context: Context,
  ): Promise<Notice> {
    await requestMail(context, 'password-reset', email);
    return { detail: 'If an account exists for this address, a password reset e-mail has been sent.' };
  }

  @Access('open')
  @Mutation(() => Notice, { description: 'Sets a new password with the token of a mail. All sessions end.' })
  async confirmPasswordReset(
    @Args(() => ResetPasswordArgs) args: ResetPasswordArgs,
    @Ctx() context: Context,
  ): Promise<Notice> {
    await confirmPasswordReset(context, args);
    return { detail: 'Password has been reset.' };
  }
}
