import { Arg, Args, ArgsType, Ctx, Field, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { MyData } from '../../../schema/health/my-data.ts';
import { Notice, RegisteredAccount, RenewedTokens, TokenPair } from '../../../schema/health/session.ts';
import { Gender, User, YesNo } from '../../../schema/health/user.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { CalendarDate, Decimal, File } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { type ProfileRow, profileOf } from './accounts.queries.ts';
import { activateAccount } from './activate-account.ts';
import { changePassword } from './change-password.ts';
import { deleteAccount } from './delete-account.ts';
import { type AccountExport, exportAccount } from './export-account.ts';
import { logIn, type SignedIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { personOf } from './person.ts';
import type { UploadedFile } from './profile-picture.ts';
import { registerAccount } from './register-account.ts';
import { renewTokens } from './renew-tokens.ts';
import { requestMail } from './request-mail.ts';
import { confirmPasswordReset } from './reset-password.ts';
import { startGuest } from './start-guest.ts';
import { updateProfile } from './update-profile.ts';

const text = (description: string) => Field(() => String, { description });
const optional = (type: () => object, description: string) => Field(type as never, { nullable: true, description });

@ArgsType()
class RegisterArgs {
  @text('E-mail address, at most 254 characters.') email!: string;
  @text('First name, at most 150 characters.') firstName!: string;
  @text('Last name, at most 150 characters.') lastName!: string;
  @text('Password, at least 8 characters.') password!: string;
  @text('The password once more.') password2!: string;
}

@ArgsType()
class ActivateArgs {
  @text('The token of the mail.') token!: string;
  @optional(
    () => String,
    'The password to set, in place of the registered one. Needed where the address was registered with different passwords.',
  )
  password?: string | null;
  @optional(() => String, 'The password once more; not compared when left out.') password2?: string | null;
}

@ArgsType()
class PasswordArgs {
  @text('The new password, at least 8 characters.') newPassword!: string;
  @text('The new password once more.') newPassword2!: string;
}

@ArgsType()
class ChangePasswordArgs extends PasswordArgs {
  @text('The password that holds now.') oldPassword!: string;
}

@ArgsType()
class ResetPasswordArgs extends PasswordArgs {
  @text('The token of the mail.') token!: string;
}

@InputType({ description: 'What to change of a profile: absent keys stay as they are, null takes a value away.' })
class ProfileInput {
  @optional(() => String, 'Only the address the account has: changing it takes another way.') email?: string | null;
  @optional(() => String, 'First name, at most 150 characters.') firstName?: string | null;
  @optional(() => String, 'Last name, at most 150 characters.') lastName?: string | null;
  @optional(() => String, 'Telephone number in the international form.') mobileNo?: string | null;
  @optional(() => Gender, 'Gender.') gender?: string | null;
  @optional(() => CalendarDate, 'Date of birth, in the past.') dateOfBirth?: string | null;
  @optional(() => Decimal, 'Weight in kilograms, 1 to 500.') weightKg?: string | null;
  @optional(() => Decimal, 'Height in centimetres, 30 to 272.') heightCm?: string | null;
  @optional(() => String, 'Blood group, such as A, B+ or AB-.') bloodType?: string | null;
  @optional(() => String, 'Allergies, at most 1,000 characters.') allergies?: string | null;
  @optional(() => YesNo, 'High blood pressure?') hasHypertension?: string | null;
  @optional(() => YesNo, 'Diabetes?') hasDiabetes?: string | null;
  @optional(() => YesNo, 'A chronic condition?') hasChronicCondition?: string | null;
  @optional(() => YesNo, 'A smoker?') isSmoker?: string | null;
  @optional(() => YesNo, 'Surgery lately?') hadRecentSurgery?: string | null;
  @optional(() => [String], 'Conditions, at most 50 of 100 characters.') conditions?: string[] | null;
  @optional(() => [String], 'Symptoms, at most 50 of 100 characters.') symptoms?: string[] | null;
  @optional(() => String, 'About oneself, at most 500 characters.') aboutMe?: string | null;
  @optional(() => Boolean, 'Whether others may find the person in the community.') isVisibleInCommunity?:
    | boolean
    | null;
  @optional(() => String, 'Time zone as the IANA database names it; null for UTC.') timeZone?: string | null;
  @optional(() => Boolean, 'Whether the companion may tell a language model about the profile.')
  shareProfileWithAi?: boolean | null;
  @optional(() => File, 'Picture: JPEG, PNG or WebP of at most 5 MB.') profilePicture?: UploadedFile | null;
}

@Resolver()
export class AccountRoots {
  @Access('account')
  @Query(() => User, { nullable: true, description: 'The account of the caller.' })
  me(@Ctx() context: Context): Promise<ProfileRow | null> {
    return profileOf(context.sql, context, personOf(context.actor).userId);
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
  activate(@Args(() => ActivateArgs) args: ActivateArgs, @Ctx() context: Context): Promise<SignedIn> {
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
  ): Promise<SignedIn> {
    return logIn(context, { email, password });
  }

  @Access('open')
  @Mutation(() => TokenPair, { description: 'Makes an anonymous guest account and opens its session.' })
  startGuest(@Ctx() context: Context): Promise<SignedIn> {
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
  changePassword(@Args(() => ChangePasswordArgs) args: ChangePasswordArgs, @Ctx() context: Context): Promise<SignedIn> {
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
