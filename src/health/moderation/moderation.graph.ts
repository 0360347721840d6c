import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { ModerationEventConnection } from '../../../schema/health/moderation-event.ts';
import { Report, ReportConnection, ReportDecision, ReportReason } from '../../../schema/health/report.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { KeysetConnection, keysetSliceOf } from '../../db/keyset-connection.ts';
import { selectionBelow } from '../../db/selection.ts';
import { createReport } from './create-report.ts';
import { decideReport } from './decide-report.ts';
import { moderate } from './moderate.ts';
import {
  findReports,
  type ModerationEventRow,
  moderationEvents,
  type ReportRow,
  reports,
} from './moderation.queries.ts';
import { liftSuspension } from './suspend-person.ts';

@InputType({ description: 'Input of `createReport`.' })
class CreateReportInput {
  @Field(() => ID, { description: 'Comment, chat message or person.' }) subjectId!: string;
  @Field(() => ReportReason, { description: 'Reason why you report it.' }) reason!: ReportReason;
  @optionalField(() => String, 'Explanation, at most 1,000 characters.') text?: string | null;
}

@InputType({ description: 'Input of `decideReport`.' })
class DecideReportInput {
  @Field(() => ID, { description: 'Report to decide on, by its global id.' }) reportId!: string;
  @Field(() => ReportDecision, { description: 'Decision on the report.' }) decision!: ReportDecision;
  @optionalField(() => DateTime, 'End of a suspension, within 10 years. Required for `SUSPEND`.')
  suspendedUntil?: Date | null;
  @optionalField(() => String, 'Explanation, at most 1,000 characters. A person who is warned or suspended is told it.')
  note?: string | null;
}

@InputType({ description: 'Input of `liftSuspension`.' })
class LiftSuspensionInput {
  @Field(() => ID, { description: 'Global id of the suspended person.' }) personId!: string;
  @optionalField(() => String, 'Explanation for the audit trail, at most 1,000 characters.') note?: string | null;
}

@ArgsType()
class ReportsArgs extends ConnectionArgs {
  @Field(() => Boolean, { defaultValue: true, description: 'Whether to list only reports without a decision.' })
  openOnly!: boolean;
}

const CreateReportPayload = payloadOf('createReport', { subjectId: [() => ID, 'Global id of what you reported.'] });
const DecideReportPayload = payloadOf('decideReport', { report: [() => Report, 'Report decided on.'] });
const LiftSuspensionPayload = payloadOf('liftSuspension', {
  personId: [() => ID, 'Global id of the person, who can log in again.'],
});

@Resolver()
export class ModerationRoots {
  @Access('moderator')
  @Cost(10)
  @Query(() => ReportConnection, { nullable: true, description: 'Reports, newest first.' })
  reports(
    @Args(() => ReportsArgs) { openOnly, ...args }: ReportsArgs,
    @Ctx() context: Context,
  ): KeysetConnection<ReportRow> {
    const slice = keysetSliceOf(args, ReportConnection);
    return new KeysetConnection(ReportConnection, reports(context, openOnly, slice), slice, one => one.databaseId);
  }

  @Access('moderator')
  @Cost(10)
  @Query(() => ModerationEventConnection, {
    nullable: true,
    description: 'Audit trail of moderation, newest first.',
  })
  moderationEvents(
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): KeysetConnection<ModerationEventRow> {
    const slice = keysetSliceOf(args, ModerationEventConnection);
    const source = moderationEvents(context, slice);
    return new KeysetConnection(ModerationEventConnection, source, slice, one => one.databaseId);
  }

  @Access('account')
  @Mutation(() => CreateReportPayload, {
    nullable: true,
    description: 'Reports a comment, a chat message or a person to the moderators.',
  })
  async createReport(
    @InputArg(() => CreateReportInput) input: CreateReportInput,
    @Ctx() context: Context,
  ): Promise<{ subjectId: string }> {
    await createReport(context, input);
    return { subjectId: input.subjectId };
  }

  @Access('moderator')
  @Mutation(() => DecideReportPayload, {
    nullable: true,
    description: 'Decides on a report, and on all open ones about the same. A report can be decided on again.',
  })
  async decideReport(
    @InputArg(() => DecideReportInput) { reportId, ...decision }: DecideReportInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ report: ReportRow | null }> {
    const id = numberOfId('Report', reportId, 'reportId');
    await moderate(context, moderation => decideReport(moderation, { reportId: id, ...decision }));
    const [report = null] = await findReports(context, [id], selectionBelow(info, 'report'));
    return { report };
  }

  @Access('moderator')
  @Mutation(() => LiftSuspensionPayload, { nullable: true, description: 'Ends a suspension early.' })
  async liftSuspension(
    @InputArg(() => LiftSuspensionInput) { personId, note }: LiftSuspensionInput,
    @Ctx() context: Context,
  ): Promise<{ personId: string }> {
    const measure = { personId: numberOfId('Person', personId, 'personId'), note: note ?? '' };
    await moderate(context, moderation => liftSuspension(moderation, measure));
    return { personId };
  }
}
