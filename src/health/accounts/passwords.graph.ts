import { Ctx, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { HealthSessionTokens } from '../../../schema/health/session.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { textField } from './account-inputs.ts';
import { emailLimits, mailTokenLimits, newPasswordLimits } from './account-limits.ts';
import { changePassword } from './change-password.ts';
import type { SessionResult } from './log-in.ts';
import { requestMail } from './request-mail.ts';
import { confirmPasswordReset } from './reset-password.ts';

@InputType({ description: 'Input of `changeHealthPassword`.' })
class ChangeHealthPasswordInput {
  @textField('Password that you have now.') oldPassword!: string;
  @Limits(newPasswordLimits) @textField('New password, at least 8 characters.') newPassword!: string;
  @optionalField(() => String, 'Repetition of the new password; not compared when absent.')
  newPassword2?: string | null;
}

@InputType({ description: 'Input of `requestHealthPasswordReset`.' })
class RequestHealthPasswordResetInput {
  @Limits(emailLimits) @textField('E-mail address of the account.') email!: string;
}

@InputType({ description: 'Input of `confirmHealthPasswordReset`.' })
class ConfirmHealthPasswordResetInput {
  @Limits(mailTokenLimits) @textField('Token of the mail.') token!: string;
  @Limits(newPasswordLimits) @textField('New password, at least 8 characters.') newPassword!: string;
  @optionalField(() => String, 'Repetition of the new password; not compared when absent.')
  newPassword2?: string | null;
}

@ObjectType({
  description: 'Payload of `changeHealthPassword`.',
  implements: HealthSessionTokens,
  simpleResolvers: true,
})
class ChangeHealthPasswordPayload extends HealthSessionTokens {}

const RequestHealthPasswordResetPayload = payloadOf('requestHealthPasswordReset', {
  email: [() => String, 'E-mail address, to which a mail is sent if it has an account.'],
});
// Not the address: who holds the token alone must not learn it.
const ConfirmHealthPasswordResetPayload = payloadOf('confirmHealthPasswordReset', {
  changedAt: [() => DateTime, 'When the password was changed.'],
});

@Resolver()
export class PasswordRoots {
  @Access('verified')
  @Mutation(() => ChangeHealthPasswordPayload, {
    nullable: true,
    description: 'Changes your password, ends all sessions and opens a new one.',
  })
  changeHealthPassword(
    @InputArg(() => ChangeHealthPasswordInput) input: ChangeHealthPasswordInput,
    @Ctx() context: Context,
  ): Promise<SessionResult> {
    return changePassword(context, input);
  }

  @Access('open')
  @Mutation(() => RequestHealthPasswordResetPayload, {
    nullable: true,
    description:
      'Sends a password reset mail when the address has an account. The response is the same for every address.',
  })
  async requestHealthPasswordReset(
    @InputArg(() => RequestHealthPasswordResetInput) { email }: RequestHealthPasswordResetInput,
    @Ctx() context: Context,
  ): Promise<{ email: string }> {
    return { email: await requestMail(context, 'password-reset', email) };
  }

  @Access('open')
  @Mutation(() => ConfirmHealthPasswordResetPayload, {
    nullable: true,
    description: 'Sets a new password with the token of a mail and ends all sessions.',
  })
  async confirmHealthPasswordReset(
    @InputArg(() => ConfirmHealthPasswordResetInput) input: ConfirmHealthPasswordResetInput,
    @Ctx() context: Context,
  ): Promise<{ changedAt: Date }> {
    return { changedAt: await confirmPasswordReset(context, input) };
  }
}
