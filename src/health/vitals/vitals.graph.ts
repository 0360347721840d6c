import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Info, InputType, Int, Mutation, Query, Resolver } from 'type-graphql';
import { VitalReading, VitalReadingConnection } from '../../../schema/health/vital-reading.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime, Decimal } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { DateRangeArgs, orderingField, searchField } from '../lists/argument-fields.ts';
import { recordVitals } from './record-vitals.ts';
import { type VitalReadingRow, vitalOrdering, vitals } from './vitals.queries.ts';

@InputType({ description: 'A new reading with at least one value.' })
class VitalReadingInput {
  @optionalField(() => Int, 'Systolic blood pressure in mmHg, 50 to 300.') systolicBp?: number | null;
  @optionalField(() => Int, 'Diastolic blood pressure in mmHg, 20 to 200 and below the systolic.')
  diastolicBp?: number | null;
  @optionalField(() => Int, 'Heart rate in beats per minute, 20 to 250.') heartRate?: number | null;
  @optionalField(() => Decimal, 'Body temperature in °C, 30 to 45.') temperatureC?: string | null;
  @optionalField(() => Int, 'Oxygen saturation in per cent, 50 to 100.') oxygenSaturation?: number | null;
  @optionalField(() => Decimal, 'Blood glucose in mg/dL, 20 to 800.') bloodGlucose?: string | null;
  @optionalField(() => Decimal, 'Body weight in kg, 1 to 500.') weightKg?: string | null;
  @optionalField(() => Int, 'Steps since the preceding reading, 0 to 200,000.') steps?: number | null;
  @optionalField(() => String, 'Notes, at most 1,000 characters.') notes?: string | null;
  @optionalField(() => DateTime, 'Time of the measurement, not in the future; now by default.')
  measuredAt?: Date | null;
}

@ArgsType()
class VitalReadingsArgs extends DateRangeArgs {
  @searchField('the notes') search?: string | null;
  @orderingField(vitalOrdering) ordering?: string | null;
}

const readingId = { description: 'Id of the reading.' };

@Resolver()
export class VitalRoots {
  @Access('verified')
  @Query(() => VitalReadingConnection, { description: "The caller's readings." })
  vitalReadings(
    @Args(() => VitalReadingsArgs) args: VitalReadingsArgs,
    @Ctx() context: Context,
  ): Connection<VitalReadingRow> {
    return new Connection(VitalReadingConnection, vitals.page(context, args), args);
  }

  @Access('verified')
  @Query(() => VitalReading, { nullable: true, description: "One of the caller's readings; null for any other id." })
  vitalReading(
    @Arg('id', () => GraphQLSafeInt, readingId) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<VitalReadingRow | null> {
    return vitals.find(context, id, selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => VitalReading, { description: 'Records a reading of the caller.' })
  async recordVitals(
    @Arg('input', () => VitalReadingInput, { description: 'Reading.' }) input: VitalReadingInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<VitalReadingRow> {
    return vitals.get(context, await recordVitals(context, input), selectionOf(info));
  }

  @Access('verified')
  @Mutation(() => Boolean, { description: "Deletes one of the caller's readings permanently." })
  async deleteVitals(
    @Arg('id', () => GraphQLSafeInt, readingId) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await vitals.delete(context, id);
    return true;
  }
}
