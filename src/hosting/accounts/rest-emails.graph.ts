import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { AccountEmail, EmailVisibility } from '../../../schema/hosting/account-email.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import type { EmailRow } from './accounts.queries.ts';
import { addEmails, maxEmails } from './add-email.ts';
import { removeEmails, setEmailVisibility } from './change-emails.ts';

const emailsArg = () => Arg('emails', () => [String], { description: `E-mail addresses, at most ${maxEmails}.` });

/** E-mail addresses of the caller, for the REST contract. */
@Resolver()
export class RestEmailRoots {
  @RestOnly()
  @Access('emails:write')
  @Mutation(() => [AccountEmail], {
    description: 'Adds e-mail addresses of the caller and mails links to verify them.',
  })
  restAddEmails(@emailsArg() emails: string[], @Ctx() context: Context): Promise<EmailRow[]> {
    return addEmails(context, emails);
  }

  @RestOnly()
  @Access('emails:write')
  @Mutation(() => Boolean, { description: 'Deletes e-mail addresses of the caller.' })
  async restRemoveEmails(@emailsArg() emails: string[], @Ctx() context: Context): Promise<boolean> {
    await removeEmails(context, emails);
    return true;
  }

  @RestOnly()
  @Access('emails:write')
  @Mutation(() => [AccountEmail], { description: 'Makes the primary e-mail address of the caller public or not.' })
  async restSetEmailVisibility(
    @Arg('visibility', () => EmailVisibility, { description: 'Visibility.' }) visibility: EmailVisibility,
    @Ctx() context: Context,
  ): Promise<EmailRow[]> {
    return [await setEmailVisibility(context, visibility === 'public')];
  }
}
