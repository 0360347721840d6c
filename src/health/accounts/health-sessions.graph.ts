import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Person } from '../../../schema/health/person.ts';
import { HealthSessionConnection, HealthSessionTokens } from '../../../schema/health/session.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { emptyInputOf, InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import type { Context } from '../../context/context.ts';
import { uuidOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow } from '../../db/selection.ts';
import { findViewer, type ViewerRow } from './accounts.queries.ts';
import { type HealthSessionRow, healthSessions } from './health-sessions.queries.ts';
import { logIn, type SessionResult } from './log-in.ts';
import { endOtherSession, logOut } from './log-out.ts';
import { refreshTokens } from './refresh-tokens.ts';
import { requirePerson } from './require-person.ts';
import { startGuest } from './start-guest.ts';

@InputType({ description: 'Input of `openHealthSession`.' })
class OpenHealthSessionInput {
  @Field(() => String, { description: 'E-mail address of the account, case-insensitive.' }) email!: string;
  @Field(() => String, { description: 'Password of the account.' }) password!: string;
}

const OpenGuestHealthSessionInput = emptyInputOf('openGuestHealthSession');

@InputType({ description: 'Input of `renewHealthSession`.' })
class RenewHealthSessionInput {
  @Field(() => String, { description: 'Refresh token of the session.' }) refreshToken!: string;
}

@InputType({ description: 'Input of `closeHealthSession`.' })
class CloseHealthSessionInput {
  @Field(() => String, { description: 'Refresh token of the session.' }) refreshToken!: string;
}

@InputType({ description: 'Input of `endHealthSession`.' })
class EndHealthSessionInput {
  @Field(() => ID, { description: 'Session to end.' }) sessionId!: string;
}

const opened = { implements: HealthSessionTokens, simpleResolvers: true } as const;

@ObjectType({ description: 'Payload of `openHealthSession`.', ...opened })
class OpenHealthSessionPayload extends HealthSessionTokens {}

@ObjectType({ description: 'Payload of `openGuestHealthSession`.', ...opened })
class OpenGuestHealthSessionPayload extends HealthSessionTokens {}

@ObjectType({ description: 'Payload of `renewHealthSession`.', ...opened })
class RenewHealthSessionPayload extends HealthSessionTokens {}

const CloseHealthSessionPayload = payloadOf('closeHealthSession', {
  viewer: [() => Person, 'Person whose session was closed.'],
});

const EndHealthSessionPayload = payloadOf('endHealthSession', {
  deletedId: [() => ID, 'Global id of the session that has ended.'],
});

@Resolver(() => Person)
export class PersonSessions {
  @Access('account')
  @FieldResolver(() => HealthSessionConnection, {
    nullable: true,
    description: 'Your open sessions: browsers and apps that are logged in, the last used first.',
  })
  sessions(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context): Connection<HealthSessionRow> {
    return new Connection(HealthSessionConnection, healthSessions(context), args);
  }
}

@Resolver()
export class HealthSessionRoots {
  @Access('open')
  @Mutation(() => OpenHealthSessionPayload, {
    nullable: true,
    description: 'Opens a session with e-mail address and password.',
  })
  openHealthSession(
    @InputArg(() => OpenHealthSessionInput) { email, password }: OpenHealthSessionInput,
    @Ctx() context: Context,
  ): Promise<SessionResult> {
    return logIn(context, { email, password });
  }

  @Access('open')
  @Mutation(() => OpenGuestHealthSessionPayload, {
    nullable: true,
    description: 'Creates an anonymous guest account and opens a session.',
  })
  openGuestHealthSession(
    @InputArg(() => OpenGuestHealthSessionInput) _input: object,
    @Ctx() context: Context,
  ): Promise<SessionResult> {
    return startGuest(context);
  }

  @Access('open')
  @Mutation(() => RenewHealthSessionPayload, {
    nullable: true,
    description: 'Renews a session with its refresh token, which is invalid afterwards.',
  })
  async renewHealthSession(
    @InputArg(() => RenewHealthSessionInput) { refreshToken }: RenewHealthSessionInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Omit<SessionResult, 'viewer'> & { viewer: ViewerRow | null }> {
    const { userId, ...tokens } = await refreshTokens(context, refreshToken);
    return { ...tokens, viewer: await findViewer(context, userId, selectionBelow(info, 'viewer')) };
  }

  @Access('account')
  @Mutation(() => CloseHealthSessionPayload, {
    nullable: true,
    description: 'Ends one of your sessions. Its tokens become invalid; the mutation can be repeated.',
  })
  async closeHealthSession(
    @InputArg(() => CloseHealthSessionInput) { refreshToken }: CloseHealthSessionInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ viewer: ViewerRow | null }> {
    await logOut(context, refreshToken);
    const { userId } = requirePerson(context.actor);
    return { viewer: await findViewer(context, userId, selectionBelow(info, 'viewer')) };
  }

  @Access('account')
  @Mutation(() => EndHealthSessionPayload, {
    nullable: true,
    description: 'Ends one of your sessions, such as that of a lost device. Its tokens become invalid.',
  })
  async endHealthSession(
    @InputArg(() => EndHealthSessionInput) { sessionId }: EndHealthSessionInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await endOtherSession(context, uuidOfId('HealthSession', sessionId, 'sessionId'));
    return { deletedId: sessionId };
  }
}
