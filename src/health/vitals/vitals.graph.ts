import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, InputType, Int, Mutation, Query, Resolver } from 'type-graphql';
import { VitalReading, VitalReadingPage } from '../../../schema/health/vital-reading.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { PageArgs } from '../../../schema/vocabulary/page.ts';
import { CalendarDate, Decimal, Instant } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Page } from '../../db/page.ts';
import { selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { deleteVitals } from './delete-vitals.ts';
import { recordVitals } from './record-vitals.ts';
import { type VitalReadingRow, vitalsById, vitalsMatching } from './vitals.queries.ts';

const optionalField = (type: () => object, description: string) =>
  Field(type as never, { nullable: true, description });

@InputType({ description: 'What was measured at one time: at least one of the values.' })
class VitalReadingInput {
  @optionalField(() => Int, 'Systolic blood pressure in mmHg, 50 to 300.') systolicBp?: number | null;
  @optionalField(() => Int, 'Diastolic blood pressure in mmHg, 20 to 200 and below the systolic.')
  diastolicBp?: number | null;
  @optionalField(() => Int, 'Heart beats per minute, 20 to 250.') heartRate?: number | null;
  @optionalField(() => Decimal, 'Body temperature in °C, 30 to 45.') temperatureC?: string | null;
  @optionalField(() => Int, 'Oxygen saturation of the blood in per cent, 50 to 100.') oxygenSaturation?: number | null;
  @optionalField(() => Decimal, 'Blood glucose in mg/dL, 20 to 800.') bloodGlucose?: string | null;
  @optionalField(() => Decimal, 'Body weight in kg, 1 to 500.') weightKg?: string | null;
  @optionalField(() => Int, 'Steps since the reading before, 0 to 200,000.') steps?: number | null;
  @optionalField(() => String, 'At most 1,000 characters.') notes?: string | null;
  @optionalField(() => Instant, 'When it was measured; now unless given, and not ahead of now.')
  measuredAt?: Date | null;
}

@ArgsType()
class VitalReadingsArgs extends PageArgs {
  @optionalField(() => CalendarDate, 'Not before this day, in the time zone of the profile.') from?: string | null;
  @optionalField(() => CalendarDate, 'Not after this day, in the time zone of the profile.') to?: string | null;
  @optionalField(() => String, 'Words or "quoted phrases", each of which must occur in the notes; at most 20.')
  search?: string | null;
  @optionalField(
    () => String,
    'Comma separated: measured_at, created_at; a leading - turns the order round. Other names are ignored; the newest come first by default.',
  )
  ordering?: string | null;
}

const readingId = { description: 'Number of the reading.' };

@Resolver()
export class VitalRoots {
  @Access('verified')
  @Query(() => VitalReadingPage, { description: 'What the caller measured.' })
  vitalReadings(
    @Args(() => VitalReadingsArgs) args: VitalReadingsArgs,
    @Ctx() context: Context,
  ): Page<VitalReadingRow> {
    return new Page(vitalsMatching(context, requirePerson(context.actor).userId, args), args);
  }

  @Access('verified')
  @Query(() => VitalReading, { nullable: true, description: 'One reading of the caller; null when there is none.' })
  vitalReading(
    @Arg('id', () => GraphQLSafeInt, readingId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<VitalReadingRow | null> {
    return vitalsById(context, requirePerson(context.actor).userId, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => VitalReading, { description: 'Records what the caller measured.' })
  async recordVitals(
    @Arg('input', () => VitalReadingInput, { description: 'The reading.' }) input: VitalReadingInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<VitalReadingRow> {
    const id = await recordVitals(context, input);
    const reading = await vitalsById(context, requirePerson(context.actor).userId, id, selectionOf(info));
    if (!reading) throw notFound();
    return reading;
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: 'Deletes a reading of the caller for good.' })
  async deleteVitals(
    @Arg('id', () => GraphQLSafeInt, readingId) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteVitals(context, id);
    return true;
  }
}
