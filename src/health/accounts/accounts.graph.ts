import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, FieldResolver, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { FhirBundle, HealthDataExport } from '../../../schema/health/data-export.ts';
import { Person } from '../../../schema/health/person.ts';
import { HealthSessionTokens, RegisteredAccount } from '../../../schema/health/session.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { selectionOf } from '../../db/selection.ts';
import { fhirBundle, fhirMediaType } from '../fhir/fhir-bundle.ts';
import {
  ActivateHealthAccountInput,
  DeleteHealthAccountInput,
  RegisterHealthAccountInput,
  ResendHealthActivationInput,
  UpdateHealthProfileInput,
} from './account-inputs.ts';
import { findViewer, type ProfileRow, type ViewerRow } from './accounts.queries.ts';
import { activateAccount } from './activate-account.ts';
import { deleteAccount } from './delete-account.ts';
import { type AccountExport, exportAccount } from './export-account.ts';
import type { SessionResult } from './log-in.ts';
import { registerAccount } from './register-account.ts';
import { requestMail } from './request-mail.ts';
import { requirePerson } from './require-person.ts';
import { updateProfile } from './update-profile.ts';

@ObjectType({ description: 'Payload of `registerHealthAccount`.', simpleResolvers: true })
class RegisterHealthAccountPayload {
  @Field(() => String, { nullable: true, description: 'E-mail address, to which the activation mail is sent.' })
  email!: string | null;

  @Field(() => RegisteredAccount, { nullable: true, description: 'Account that was registered.' })
  account!: RegisteredAccount | null;
}

@ObjectType({
  description: 'Payload of `activateHealthAccount`.',
  implements: HealthSessionTokens,
  simpleResolvers: true,
})
class ActivateHealthAccountPayload extends HealthSessionTokens {}

const ResendHealthActivationPayload = payloadOf('resendHealthActivation', {
  email: [() => String, 'E-mail address, to which a mail is sent if it awaits activation.'],
});
const UpdateHealthProfilePayload = payloadOf('updateHealthProfile', {
  viewer: [() => Person, 'You, with the changed profile.'],
});
const DeleteHealthAccountPayload = payloadOf('deleteHealthAccount', {
  deletedId: [() => ID, 'Global id of the deleted person.'],
});

@Resolver(() => Person)
export class PersonDataExport {
  @Access('account')
  @Cost(100)
  @FieldResolver(() => HealthDataExport, {
    nullable: true,
    description: 'Everything that is stored about you. An operation can select it once.',
  })
  async dataExport(@Ctx() context: Context): Promise<AccountExport> {
    await context.largeValues.reserveAll();
    return exportAccount(context);
  }

  @Access('account')
  @Cost(100)
  @FieldResolver(() => FhirBundle, {
    nullable: true,
    description:
      'Your health data as a Bundle of HL7 FHIR R4. It has profile, readings, symptoms, assessments, goals and consents; `dataExport` has the rest. An operation can select it once.',
  })
  async fhirExport(@Ctx() context: Context): Promise<FhirBundle> {
    await context.largeValues.reserveAll();
    return { text: await fhirBundle(await exportAccount(context), context.origin), mediaType: fhirMediaType };
  }
}

@Resolver()
export class AccountRoots {
  @Access('account')
  @Query(() => Person, { nullable: true, description: 'You, as a person of the health product.' })
  healthViewer(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<ViewerRow | null> {
    return findViewer(context, requirePerson(context.actor).userId, selectionOf(info));
  }

  @Access('open')
  @Mutation(() => RegisterHealthAccountPayload, {
    nullable: true,
    description: 'Registers an e-mail address and sends an activation mail. A guest keeps the account and its data.',
  })
  async registerHealthAccount(
    @InputArg(() => RegisterHealthAccountInput) input: RegisterHealthAccountInput,
    @Ctx() context: Context,
  ): Promise<{ email: string; account: RegisteredAccount }> {
    const account = await registerAccount(context, input);
    return { email: account.email, account };
  }

  @Access('open')
  @Mutation(() => ActivateHealthAccountPayload, {
    nullable: true,
    description:
      'Activates an account with the token of its mail and opens a session. Ends earlier sessions and other registrations of the address.',
  })
  activateHealthAccount(
    @InputArg(() => ActivateHealthAccountInput) input: ActivateHealthAccountInput,
    @Ctx() context: Context,
  ): Promise<SessionResult> {
    return activateAccount(context, input);
  }

  @Access('open')
  @Mutation(() => ResendHealthActivationPayload, {
    nullable: true,
    description:
      'Sends a new activation mail to an address that awaits activation. The response is the same for every address.',
  })
  async resendHealthActivation(
    @InputArg(() => ResendHealthActivationInput) { email }: ResendHealthActivationInput,
    @Ctx() context: Context,
  ): Promise<{ email: string }> {
    return { email: await requestMail(context, 'activation', email) };
  }

  @Access('account')
  @Mutation(() => UpdateHealthProfilePayload, { nullable: true, description: 'Updates your profile.' })
  async updateHealthProfile(
    @InputArg(() => UpdateHealthProfileInput) input: UpdateHealthProfileInput,
    @Ctx() context: Context,
  ): Promise<{ viewer: ProfileRow }> {
    return { viewer: await updateProfile(context, input) };
  }

  @Access('account')
  @Mutation(() => DeleteHealthAccountPayload, {
    nullable: true,
    description: 'Deletes your account and ends all its sessions. Stored data are erased later.',
  })
  async deleteHealthAccount(
    @InputArg(() => DeleteHealthAccountInput) _input: DeleteHealthAccountInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await deleteAccount(context);
    return { deletedId: encodeGlobalId('Person', requirePerson(context.actor).userId) };
  }
}
