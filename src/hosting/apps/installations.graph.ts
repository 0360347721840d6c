import { Ctx, Field, ID, InputType, Mutation, Resolver } from 'type-graphql';
import { Installation } from '../../../schema/hosting/installation.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import type { InstallationRow } from './apps.queries.ts';
import { installApp, setSuspended, uninstallApp } from './install-app.ts';

@InputType({ description: 'Input of `installApp`.' })
class InstallAppInput {
  @Field(() => String, { description: 'Slug of the app.' }) slug!: string;
  @optionalField(() => ID, 'User or organization; you by default.') accountId?: string | null;
  @optionalField(() => [ID], 'Repositories of the account; all, including later ones, by default.') repositoryIds?:
    | string[]
    | null;
}

@InputType({ description: 'Input of `suspendInstallation`.' })
class SuspendInstallationInput {
  @Field(() => ID, { description: 'Installation to suspend.' }) installationId!: string;
}

@InputType({ description: 'Input of `unsuspendInstallation`.' })
class UnsuspendInstallationInput {
  @Field(() => ID, { description: 'Installation to resume.' }) installationId!: string;
}

@InputType({ description: 'Input of `uninstallApp`.' })
class UninstallAppInput {
  @Field(() => ID, { description: 'Installation to end.' }) installationId!: string;
}

const InstallAppPayload = payloadOf('installApp', {
  installation: [() => Installation, 'Installation that was created or changed.'],
});
const SuspendInstallationPayload = payloadOf('suspendInstallation', {
  installation: [() => Installation, 'Installation, which is suspended now.'],
});
const UnsuspendInstallationPayload = payloadOf('unsuspendInstallation', {
  installation: [() => Installation, 'Installation, no longer suspended.'],
});
const UninstallAppPayload = payloadOf('uninstallApp', {
  deletedId: [() => ID, 'Global id of the ended installation.'],
});

interface InstallationPayload {
  installation: InstallationRow;
}

const installationNumber = ({ installationId }: { installationId: string }): number =>
  numberOfId('Installation', installationId, 'installationId');

@Resolver()
export class InstallationRoots {
  @Access('tokens:write')
  @Mutation(() => InstallAppPayload, {
    nullable: true,
    description: 'Installs an app on an account, or changes the repositories of an installation.',
  })
  async installApp(
    @InputArg(() => InstallAppInput) { slug, accountId, repositoryIds }: InstallAppInput,
    @Ctx() context: Context,
  ): Promise<InstallationPayload> {
    const installation = await installApp(context, {
      slug,
      accountId: accountId == null ? undefined : numberOfId(['User', 'Organization'], accountId, 'accountId'),
      repositoryIds: repositoryIds?.map(id => numberOfId('Repository', id, 'repositoryIds')),
    });
    return { installation };
  }

  @Access('tokens:write')
  @Mutation(() => SuspendInstallationPayload, {
    nullable: true,
    description: 'Suspends an installation: its tokens are rejected until it is resumed.',
  })
  async suspendInstallation(
    @InputArg(() => SuspendInstallationInput) input: SuspendInstallationInput,
    @Ctx() context: Context,
  ): Promise<InstallationPayload> {
    return { installation: await setSuspended(context, installationNumber(input), true) };
  }

  @Access('tokens:write')
  @Mutation(() => UnsuspendInstallationPayload, { nullable: true, description: 'Resumes a suspended installation.' })
  async unsuspendInstallation(
    @InputArg(() => UnsuspendInstallationInput) input: UnsuspendInstallationInput,
    @Ctx() context: Context,
  ): Promise<InstallationPayload> {
    return { installation: await setSuspended(context, installationNumber(input), false) };
  }

  @Access('tokens:write')
  @Mutation(() => UninstallAppPayload, {
    nullable: true,
    description: 'Uninstalls an app from an account and ends its tokens there.',
  })
  async uninstallApp(
    @InputArg(() => UninstallAppInput) input: UninstallAppInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await uninstallApp(context, installationNumber(input));
    return { deletedId: input.installationId };
  }
}
