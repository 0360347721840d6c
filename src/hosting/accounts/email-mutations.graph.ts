import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Resolver } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import { AccountEmail, EmailVisibility } from '../../../schema/hosting/account-email.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { type UserPayload, userPayload } from './accounts.graph.ts';
import type { EmailRow } from './accounts.queries.ts';
import { addEmails, maxEmails } from './add-email.ts';
import { callingUser } from './caller.ts';
import { removeEmails, setEmailVisibility } from './change-emails.ts';
import { verifyEmail, verifyEmailByToken } from './verify-email.ts';

@InputType({ description: 'Input of `addEmails`.' })
class AddEmailsInput {
  @Field(() => [String], { description: `E-mail addresses, at most ${maxEmails}.` }) emails!: string[];
}

@InputType({ description: 'Input of `removeEmails`.' })
class RemoveEmailsInput {
  @Field(() => [String], { description: 'E-mail addresses of yours, case-insensitive; not the primary one.' })
  emails!: string[];
}

@InputType({ description: 'Input of `verifyEmail`.' })
class VerifyEmailInput {
  @Field(() => String, { description: 'Token of the link in the mail.' }) token!: string;
}

@InputType({ description: 'Input of `updateEmailVisibility`.' })
class UpdateEmailVisibilityInput {
  @Field(() => EmailVisibility, { description: 'Visibility of your primary address in your profile.' })
  visibility!: EmailVisibility;
}

@InputType({ description: 'Input of `verifyUserEmail`.' })
class VerifyUserEmailInput {
  @Field(() => ID, { description: 'User with the address.' }) userId!: string;
  @Field(() => String, { description: 'E-mail address, case-insensitive.' }) email!: string;
}

const AddEmailsPayload = payloadOf('addEmails', { emails: [() => [AccountEmail], 'E-mail addresses added.'] });
const RemoveEmailsPayload = payloadOf('removeEmails', { user: [() => User, 'You, without the removed addresses.'] });
const VerifyEmailPayload = payloadOf('verifyEmail', {
  email: [() => AccountEmail, 'Address of yours that is verified now.'],
});
const UpdateEmailVisibilityPayload = payloadOf('updateEmailVisibility', {
  user: [() => User, 'You. Your primary address is the first of `emails`.'],
});
const VerifyUserEmailPayload = payloadOf('verifyUserEmail', {
  email: [
    () => AccountEmail,
    'Verified address; null where it is not one of the user, or another account has verified it.',
  ],
});

interface EmailPayload {
  email: EmailRow | null;
}

@Resolver()
export class EmailMutations {
  @Access('emails:write')
  @Mutation(() => AddEmailsPayload, {
    nullable: true,
    description: 'Adds e-mail addresses of yours. Each has no effect until the link of the mail that it gets is used.',
  })
  async addEmails(
    @InputArg(() => AddEmailsInput) { emails }: AddEmailsInput,
    @Ctx() context: Context,
  ): Promise<{ emails: EmailRow[] }> {
    return { emails: await addEmails(context, emails) };
  }

  @Access('emails:write')
  @Mutation(() => RemoveEmailsPayload, {
    nullable: true,
    description: 'Deletes e-mail addresses of yours, all of them or none.',
  })
  async removeEmails(
    @InputArg(() => RemoveEmailsInput) { emails }: RemoveEmailsInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    await removeEmails(context, emails);
    return userPayload(context, callingUser(context.actor).accountId, info);
  }

  @Access('public')
  @Mutation(() => VerifyEmailPayload, {
    nullable: true,
    description: 'Verifies the e-mail address that the token was mailed to.',
  })
  async verifyEmail(
    @InputArg(() => VerifyEmailInput) { token }: VerifyEmailInput,
    @Ctx() context: Context,
  ): Promise<EmailPayload> {
    return { email: await verifyEmailByToken(context, token) };
  }

  @Access('emails:write')
  @Mutation(() => UpdateEmailVisibilityPayload, {
    nullable: true,
    description: 'Makes your primary e-mail address public in your profile, or makes no address public.',
  })
  async updateEmailVisibility(
    @InputArg(() => UpdateEmailVisibilityInput) { visibility }: UpdateEmailVisibilityInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UserPayload> {
    await setEmailVisibility(context, visibility === EmailVisibility.PUBLIC);
    return userPayload(context, callingUser(context.actor).accountId, info);
  }

  @Access('site-admin')
  @Mutation(() => VerifyUserEmailPayload, {
    nullable: true,
    description: 'Marks an e-mail address of a user as verified.',
  })
  async verifyUserEmail(
    @InputArg(() => VerifyUserEmailInput) { userId, email }: VerifyUserEmailInput,
    @Ctx() context: Context,
  ): Promise<EmailPayload> {
    return { email: await verifyEmail(context, numberOfId('User', userId, 'userId'), email) };
  }
}
