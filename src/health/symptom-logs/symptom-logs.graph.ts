import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, InputType, Int, Mutation, Query, Resolver } from 'type-graphql';
import { SymptomLog, SymptomLogConnection } from '../../../schema/health/symptom-log.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { DateRangeArgs, orderingField, searchField } from '../lists/argument-fields.ts';
import { logSymptom } from './log-symptom.ts';
import { type SymptomLogRow, symptomLogOrdering, symptomLogs } from './symptom-logs.queries.ts';

@InputType({ description: 'A new symptom log.' })
class SymptomLogInput {
  @Field(() => String, { description: 'Name of the symptom, at most 100 characters.' }) symptomName!: string;
  @Field(() => Int, { description: 'Severity, 1 to 10.' }) severity!: number;
  @optionalField(() => String, 'Part of the body, at most 100 characters.') bodyLocation?: string | null;
  @optionalField(() => String, 'Description, at most 1,000 characters.') description?: string | null;
  @optionalField(() => DateTime, 'Time of the symptom, not in the future; now by default.') loggedAt?: Date | null;
}

@ArgsType()
class SymptomLogsArgs extends DateRangeArgs {
  @searchField('the name, the location or the description') search?: string | null;
  @orderingField(symptomLogOrdering) ordering?: string | null;
}

const entryId = { description: 'Id of the symptom log.' };

@Resolver()
export class SymptomLogRoots {
  @Access('verified')
  @Query(() => SymptomLogConnection, { description: "The caller's symptom logs." })
  symptomLogs(@Args(() => SymptomLogsArgs) args: SymptomLogsArgs, @Ctx() context: Context): Connection<SymptomLogRow> {
    return new Connection(SymptomLogConnection, symptomLogs.page(context, args), args);
  }

  @Access('verified')
  @Query(() => SymptomLog, { nullable: true, description: "One of the caller's symptom logs; null for any other id." })
  symptomLog(
    @Arg('id', () => GraphQLSafeInt, entryId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SymptomLogRow | null> {
    return symptomLogs.find(context, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => SymptomLog, { description: 'Logs a symptom of the caller.' })
  async logSymptom(
    @Arg('input', () => SymptomLogInput, { description: 'Symptom log.' }) input: SymptomLogInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SymptomLogRow> {
    return symptomLogs.get(context, await logSymptom(context, input), selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: "Deletes one of the caller's symptom logs permanently." })
  async deleteSymptomLog(
    @Arg('id', () => GraphQLSafeInt, entryId) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await symptomLogs.delete(context, id);
    return true;
  }
}
