import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, InputType, Int, Mutation, Query, Resolver } from 'type-graphql';
import { SymptomLog, SymptomLogPage } from '../../../schema/health/symptom-log.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { type Page, PageArgs } from '../../../schema/vocabulary/page.ts';
import { CalendarDate, Instant } from '../../../schema/vocabulary/scalars.ts';
import { selectionOf } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { deleteSymptomLog } from './delete-symptom-log.ts';
import { logSymptom } from './log-symptom.ts';
import { type SymptomLogRow, symptomLogById, symptomLogsMatching } from './symptom-logs.queries.ts';

const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

@InputType({ description: 'A new symptom log.' })
class SymptomLogInput {
  @Field(() => String, { description: 'Name of the symptom, at most 100 characters.' }) symptomName!: string;
  @Field(() => Int, { description: 'Severity, 1 to 10.' }) severity!: number;
  @optionalField(() => String, 'Part of the body, at most 100 characters.') bodyLocation?: string | null;
  @optionalField(() => String, 'Description, at most 1,000 characters.') description?: string | null;
  @optionalField(() => Instant, 'Time of the symptom, not in the future; now by default.') loggedAt?: Date | null;
}

@ArgsType()
class SymptomLogsArgs extends PageArgs {
  @optionalField(() => CalendarDate, 'First day, in the time zone of the profile.') from?: string | null;
  @optionalField(() => CalendarDate, 'Last day, in the time zone of the profile.') to?: string | null;
  @optionalField(
    () => String,
    'Words or "quoted phrases", each of which must occur in the name, the location or the description; at most 20.',
  )
  search?: string | null;
  @optionalField(
    () => String,
    'Comma separated: logged_at, severity, symptom_name; a leading - turns the order round. Other names are ignored; the newest come first by default.',
  )
  ordering?: string | null;
}

const entryId = { description: 'Id of the symptom log.' };

@Resolver()
export class SymptomLogRoots {
  @Access('verified')
  @Query(() => SymptomLogPage, { description: "The caller's symptom logs." })
  symptomLogs(@Args(() => SymptomLogsArgs) args: SymptomLogsArgs, @Ctx() context: Context): Page<SymptomLogRow> {
    return new SymptomLogPage(symptomLogsMatching(context, requirePerson(context.actor).userId, args), args);
  }

  @Access('verified')
  @Query(() => SymptomLog, { nullable: true, description: "One of the caller's symptom logs; null for any other id." })
  symptomLog(
    @Arg('id', () => GraphQLSafeInt, entryId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SymptomLogRow | null> {
    return symptomLogById(context, requirePerson(context.actor).userId, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => SymptomLog, { description: 'Logs a symptom of the caller.' })
  async logSymptom(
    @Arg('input', () => SymptomLogInput, { description: 'Symptom log.' }) input: SymptomLogInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SymptomLogRow> {
    const id = await logSymptom(context, input);
    const entry = await symptomLogById(context, requirePerson(context.actor).userId, id, selectionOf(info));
    if (!entry) throw notFound();
    return entry;
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: "Deletes one of the caller's symptom logs permanently." })
  async deleteSymptomLog(
    @Arg('id', () => GraphQLSafeInt, entryId) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteSymptomLog(context, id);
    return true;
  }
}
