import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Int,
  Mutation,
  Resolver,
} from 'type-graphql';
import { Person } from '../../../schema/health/person.ts';
import { SymptomLog, SymptomLogConnection, SymptomLogOrder } from '../../../schema/health/symptom-log.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { DateRangeArgs, orderByField, searchField } from '../lists/argument-fields.ts';
import { buildNotice } from '../safety/safety-notice.ts';
import { type Heard, safetyResolvers, withSafety } from '../safety/written-safety.ts';
import { logSymptom, symptomLogLimits } from './log-symptom.ts';
import { type SymptomLogRow, symptomLogs } from './symptom-logs.queries.ts';

@InputType({ description: 'Input of `logSymptom`.' })
class LogSymptomInput {
  @Limits(symptomLogLimits.symptomName)
  @Field(() => String, { description: 'Name of the symptom, at most 100 characters.' })
  symptomName!: string;
  @Limits(symptomLogLimits.severity)
  @Field(() => Int, { description: 'Severity, 1 to 10.' })
  severity!: number;
  @Limits(symptomLogLimits.bodyLocation)
  @optionalField(() => String, 'Location in the body, at most 100 characters; empty by default.')
  bodyLocation?: string | null;
  @Limits(symptomLogLimits.description)
  @optionalField(() => String, 'Description, at most 1,000 characters; empty by default.')
  description?: string | null;
  @optionalField(() => DateTime, 'Time of the symptom, not in the future; now by default.') loggedAt?: Date | null;
}

@InputType({ description: 'Input of `deleteSymptomLog`.' })
class DeleteSymptomLogInput {
  @Field(() => ID, { description: 'Symptom log to delete.' }) symptomLogId!: string;
}

@ArgsType()
class SymptomLogsArgs extends DateRangeArgs {
  @searchField('the name, the location or the description') search?: string | null;
  @orderByField(() => SymptomLogOrder) orderBy?: string[] | null;
}

const LogSymptomPayload = payloadOf('logSymptom', { symptomLog: [() => SymptomLog, 'Symptom log created.'] });
export const symptomLogSafety = safetyResolvers(SymptomLog, LogSymptomPayload);
const DeleteSymptomLogPayload = payloadOf('deleteSymptomLog', {
  deletedId: [() => ID, 'Global id of the deleted symptom log.'],
});

@Resolver(() => Person)
export class PersonSymptomLogs {
  @Access('verified')
  @FieldResolver(() => SymptomLogConnection, { nullable: true, description: 'Symptom logs, newest first.' })
  symptomLogs(@Args(() => SymptomLogsArgs) args: SymptomLogsArgs, @Ctx() context: Context): Connection<SymptomLogRow> {
    return new Connection(SymptomLogConnection, symptomLogs.page(context, args), args);
  }

  @Access('verified')
  @Cost(1)
  @FieldResolver(() => SymptomLog, {
    nullable: true,
    description: 'Symptom log with this global id; null if there is none.',
  })
  symptomLog(
    @Arg('id', () => ID, { description: 'Global id of the symptom log.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SymptomLogRow | null> {
    return symptomLogs.find(context, numberOfId('SymptomLog', id, 'id'), selectionOf(info));
  }
}

@Resolver()
export class SymptomLogRoots {
  @Access('verified')
  @Mutation(() => LogSymptomPayload, { nullable: true, description: 'Logs a symptom.' })
  async logSymptom(
    @InputArg(() => LogSymptomInput) input: LogSymptomInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ symptomLog: SymptomLogRow } & Heard> {
    const { id, finding } = await logSymptom(context, input);
    const symptomLog = await symptomLogs.get(context, id, selectionBelow(info, 'symptomLog'));
    const countries = context.config.CRISIS_HELPLINE_COUNTRIES;
    return withSafety('symptomLog', symptomLog, async () => buildNotice(finding, countries));
  }

  @Access('verified')
  @Mutation(() => DeleteSymptomLogPayload, { nullable: true, description: 'Deletes a symptom log permanently.' })
  async deleteSymptomLog(
    @InputArg(() => DeleteSymptomLogInput) { symptomLogId }: DeleteSymptomLogInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await symptomLogs.delete(context, numberOfId('SymptomLog', symptomLogId, 'symptomLogId'));
    return { deletedId: symptomLogId };
  }
}
