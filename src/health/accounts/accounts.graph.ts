import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { MyData } from '../../../schema/health/my-data.ts';
import { Gender, Person, YesNo } from '../../../schema/health/person.ts';
import { Notice, RegisteredAccount, RenewedTokens, TokenPair } from '../../../schema/health/session.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { CalendarDate, Decimal, File } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { findViewer, type ProfileRow, type ViewerRow } from './accounts.queries.ts';
import { activateAccount } from './activate-account.ts';
import { changePassword } from './change-password.ts';
import { deleteAccount } from './delete-account.ts';
import { type AccountExport, exportAccount } from './export-account.ts';
import { type LoginResult, logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import type { UploadedFile } from './profile-picture.ts';
import { refreshTokens } from './refresh-tokens.ts';
import { registerAccount } from './register-account.ts';
import { requestMail } from './request-mail.ts';
import { requirePerson } from './require-person.ts';
import { confirmPasswordReset } from './reset-password.ts';
import { startGuest } from './start-guest.ts';
import { updateProfile } from './update-profile.ts';

const textField = (description: string) => Field(() => String, { description });

@ArgsType()
class RegisterArgs {
  @textField('E-mail address, at most 254 characters.') email!: string;
  @textField('First name, at most 150 characters.') firstName!: string;
  @textField('Last name, at most 150 characters.') lastName!: string;
  @textField('Password, at least 8 characters.') password!: string;
  @textField('Repetition of the password.') password2!: string;
}

@ArgsType()
class ActivateArgs {
  @textField('Token of the mail.') token!: string;
  @optionalField(
    () => String,
    'New password, which replaces the registered one. Required when the address was registered with different passwords.',
  )
  password?: string | null;
  @optionalField(() => String, 'Repetition of the password; not compared when absent.') password2?: string | null;
}

@ArgsType()
class PasswordArgs {
  @textField('New password, at least 8 characters.') newPassword!: string;
  @textField('Repetition of the new password.') newPassword2!: string;
}

@ArgsType()
class ChangePasswordArgs extends PasswordArgs {
  @textField('Current password.') oldPassword!: string;
}

@ArgsType()
class ResetPasswordArgs extends PasswordArgs {
  @textField('Token of the mail.') token!: string;
}

@InputType({ description: 'Changes of a profile. An absent field stays unchanged; null clears the value.' })
class ProfileInput {
  @optionalField(() => String, 'Current e-mail address; it cannot be changed here.') email?: string | null;
  @optionalField(() => String, 'First name, at most 150 characters.') firstName?: string | null;
  @optionalField(() => String, 'Last name, at most 150 characters.') lastName?: string | null;
  @optionalField(() => String, 'Telephone number in international format, such as +4915112345678.') mobileNo?:
    | string
    | null;
  @optionalField(() => Gender, 'Gender.') gender?: string | null;
  @optionalField(() => CalendarDate, 'Date of birth, in the past.') dateOfBirth?: string | null;
  @optionalField(() => Decimal, 'Weight in kilograms, 1 to 500.') weightKg?: string | null;
  @optionalField(() => Decimal, 'Height in centimetres, 30 to 272.') heightCm?: string | null;
  @optionalField(() => String, 'Blood group, such as A, B+ or AB-.') bloodType?: string | null;
  @optionalField(() => String, 'Allergies, at most 1,000 characters.') allergies?: string | null;
  @optionalField(() => YesNo, 'Whether the person has high blood pressure.') hasHypertension?: string | null;
  @optionalField(() => YesNo, 'Whether the person has diabetes.') hasDiabetes?: string | null;
  @optionalField(() => YesNo, 'Whether the person has a chronic condition.') hasChronicCondition?: string | null;
  @optionalField(() => YesNo, 'Whether the person smokes.') isSmoker?: string | null;
  @optionalField(() => YesNo, 'Whether the person had recent surgery.') hadRecentSurgery?: string | null;
  @optionalField(() => [String], 'Conditions, at most 50 of 100 characters.') conditions?: string[] | null;
  @optionalField(() => [String], 'Symptoms, at most 50 of 100 characters.') symptoms?: string[] | null;
  @optionalField(() => String, 'Self-description, at most 500 characters.') aboutMe?: string | null;
  @optionalField(() => Boolean, 'Whether other users can find the person in the community.') isVisibleInCommunity?:
    | boolean
    | null;
  @optionalField(() => String, 'IANA time zone name; null for UTC.') timeZone?: string | null;
  @optionalField(() => Boolean, 'Whether the companion may send profile facts to a language model.')
  shareProfileWithAi?: boolean | null;
  @optionalField(() => File, 'Profile picture: JPEG, PNG or WebP, at most 5 MB.') profilePicture?: UploadedFile | null;
}

@Resolver()
export class AccountRoots {
  @Access('account')
  @Query(() => Person, { nullable: true, description: 'You, as a person of the health product.' })
  healthViewer(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<ViewerRow | null> {
    return findViewer(context, requirePerson(context.actor).userId, selectionOf(info));
  }

  @Access('account')
  @Cost(100)
  @Query(() => MyData, { description: 'All data stored about the caller.' })
  async myData(@Ctx() context: Context): Promise<AccountExport> {
    context.largeValues.takeAll();
    return exportAccount(context);
  }

  @Access('open')
  @Mutation(() => RegisteredAccount, {
    description: 'Registers an e-mail address and sends an activation mail. A guest keeps the account and its data.',
  })
  register(@Args(() => RegisterArgs) args: RegisterArgs, @Ctx() context: Context): Promise<RegisteredAccount> {
    return registerAccount(context, args);
  }

  @Access('open')
  @Mutation(() => TokenPair, {
    description:
      'Activates an account with the token of its mail and opens a session. Ends earlier sessions and other registrations of the address.',
  })
  activate(@Args(() => ActivateArgs) args: ActivateArgs, @Ctx() context: Context): Promise<LoginResult> {
    return activateAccount(context, args);
  }

  @Access('open')
  @Mutation(() => Notice, {
    description:
      'Sends a new activation mail to an address that awaits activation. The response is the same for every address.',
  })
  async resendActivation(
    @Arg('email', () => String, { description: 'E-mail address.' }) email: string,
    @Ctx() context: Context,
  ): Promise<Notice> {
    await requestMail(context, 'activation', email);
    return { detail: 'If an inactive account exists for this address, a new activation e-mail has been sent.' };
  }

  @Access('open')
  @Mutation(() => TokenPair, { description: 'Opens a session with e-mail address and password.' })
  login(
    @Arg('email', () => String, { description: 'E-mail address.' }) email: string,
    @Arg('password', () => String, { description: 'Password.' }) password: string,
    @Ctx() context: Context,
  ): Promise<LoginResult> {
    return logIn(context, { email, password });
  }

  @Access('open')
  @Mutation(() => TokenPair, { description: 'Creates an anonymous guest account and opens a session.' })
  startGuest(@Ctx() context: Context): Promise<LoginResult> {
    return startGuest(context);
  }

  @Access('open')
  @Mutation(() => RenewedTokens, { description: 'Renews a session with its refresh token.' })
  renewTokens(
    @Arg('refresh', () => String, { description: 'Refresh token.' }) refresh: string,
    @Ctx() context: Context,
  ): Promise<RenewedTokens> {
    return refreshTokens(context, refresh);
  }

  @Access('account')
  @Mutation(() => Notice, { description: "Ends the session of one of the caller's refresh tokens." })
  async logout(
    @Arg('refresh', () => String, { description: 'Refresh token.' }) refresh: string,
    @Ctx() context: Context,
  ): Promise<Notice> {
    await logOut(context, refresh);
    return { detail: 'Successfully logged out.' };
  }

  @Access('account')
  @Mutation(() => Person, { description: "Updates the caller's profile." })
  updateMe(
    @Arg('input', () => ProfileInput, { description: 'Changes.' }) input: ProfileInput,
    @Ctx() context: Context,
  ): Promise<ProfileRow> {
    return updateProfile(context, input);
  }

  @Access('account')
  @Mutation(() => Boolean, { description: "Deletes the caller's account and ends all its sessions." })
  async deleteMe(
    @Arg('refresh', () => String, { nullable: true, description: "One of the caller's refresh tokens." }) refresh:
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
    description: "Changes the caller's password, ends all sessions and opens a new one.",
  })
  changePassword(
    @Args(() => ChangePasswordArgs) args: ChangePasswordArgs,
    @Ctx() context: Context,
  ): Promise<LoginResult> {
    return changePassword(context, args);
  }

  @Access('open')
  @Mutation(() => Notice, {
    description:
      'Sends a password reset mail when the address has an account. The response is the same for every address.',
  })
  async requestPasswordReset(
    @Arg('email', () => String, { description: 'E-mail address.' }) email: string,
    @Ctx() context: Context,
  ): Promise<Notice> {
    await requestMail(context, 'password-reset', email);
    return { detail: 'If an account exists for this address, a password reset e-mail has been sent.' };
  }

  @Access('open')
  @Mutation(() => Notice, { description: 'Sets a new password with the token of a mail and ends all sessions.' })
  async confirmPasswordReset(
    @Args(() => ResetPasswordArgs) args: ResetPasswordArgs,
    @Ctx() context: Context,
  ): Promise<Notice> {
    await confirmPasswordReset(context, args);
    return { detail: 'Password has been reset.' };
  }
}
