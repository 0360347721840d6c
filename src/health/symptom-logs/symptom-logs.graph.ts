import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, InputType, Int, Mutation, Query, Resolver } from 'type-graphql';
import { SymptomLog, SymptomLogPage } from '../../../schema/health/symptom-log.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import { CalendarDate, Instant } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { deleteSymptomLog } from './delete-symptom-log.ts';
import { logSymptom } from './log-symptom.ts';
import { type SymptomLogRow, symptomLogById, symptomLogsMatching } from './symptom-logs.queries.ts';

const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

@InputType({ description: 'A symptom to note down.' })
class SymptomLogInput {
  @Field(() => String, { description: 'The symptom, at most 100 characters.' }) symptomName!: string;
  @Field(() => Int, { description: 'How bad it was, 1 to 10.' }) severity!: number;
  @optionalField(() => String, 'Where in the body, at most 100 characters.') bodyLocation?: string | null;
  @optionalField(() => String, 'More about it, at most 1,000 characters.') description?: string | null;
  @optionalField(() => Instant, 'When it was felt; now unless given, and not ahead of now.') loggedAt?: Date | null;
}

@ArgsType()
class SymptomLogsArgs extends PageArgs {
  @optionalField(() => CalendarDate, 'Not before this day, in the time zone of the profile.') from?: string | null;
  @optionalField(() => CalendarDate, 'Not after this day, in the time zone of the profile.') to?: string | null;
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

const entryId = { description: 'Number of the entry.' };

@Resolver()
export class SymptomLogRoots {
  @Access('verified')
  @Query(() => SymptomLogPage, { description: 'Symptoms that the caller noted down.' })
  symptomLogs(@Args(() => SymptomLogsArgs) args: SymptomLogsArgs, @Ctx() context: Context): Page<SymptomLogRow> {
    return new Page(symptomLogsMatching(context, requirePerson(context.actor).userId, args), args);
  }

  @Access('verified')
  @Query(() => SymptomLog, { nullable: true, description: 'One of them; null when there is none.' })
  symptomLog(
    @Arg('id', () => GraphQLSafeInt, entryId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SymptomLogRow | null> {
    return symptomLogById(context, requirePerson(context.actor).userId, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => SymptomLog, { description: 'Notes a symptom of the caller down.' })
  async logSymptom(
    @Arg('input', () => SymptomLogInput, { description: 'The symptom.' }) input: SymptomLogInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SymptomLogRow> {
    const id = await logSymptom(context, input);
    const entry = await symptomLogById(context, requirePerson(context.actor).userId, id, selectionOf(info));
    if (!entry) throw notFound();
    return entry;
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: 'Deletes an entry of the caller for good.' })
  async deleteSymptomLog(
    @Arg('id', () => GraphQLSafeInt, entryId) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteSymptomLog(context, id);
    return true;
  }
}
