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
import { VitalReading, VitalReadingConnection, VitalReadingOrder } from '../../../schema/health/vital-reading.ts';
import { VitalReferenceRange } from '../../../schema/health/vital-reference-range.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { ListSize } from '../../../schema/vocabulary/list-size.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime, Decimal } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { Connection } from '../../db/connection.ts';
import { selectionBelow, selectionOf } from '../../db/selection.ts';
import { decimalLimits, rangeLimits } from '../input/decimal-checks.ts';
import { DateRangeArgs, orderByField, searchField } from '../lists/argument-fields.ts';
import { noticeOfReading } from '../safety/safety-notice.ts';
import { type Heard, safetyResolvers, withSafety } from '../safety/written-safety.ts';
import { decimalRanges, integerRanges, notesLimits, recordVitalReading } from './record-vital-reading.ts';
import { vitalReferenceRanges } from './reference-ranges.ts';
import { type VitalReadingRow, vitals } from './vitals.queries.ts';

@InputType({ description: 'Input of `recordVitalReading`. At least one value is required.' })
class RecordVitalReadingInput {
  @Limits(rangeLimits(integerRanges.systolicBp))
  @optionalField(() => Int, 'Systolic blood pressure in mmHg, 50 to 300.')
  systolicBp?: number | null;
  @Limits(rangeLimits(integerRanges.diastolicBp))
  @optionalField(() => Int, 'Diastolic blood pressure in mmHg, 20 to 200 and below the systolic.')
  diastolicBp?: number | null;
  @Limits(rangeLimits(integerRanges.heartRate))
  @optionalField(() => Int, 'Heart rate in beats per minute, 20 to 250.')
  heartRate?: number | null;
  @Limits(decimalLimits(decimalRanges.temperatureC))
  @optionalField(() => Decimal, 'Body temperature in °C, 30 to 45.')
  temperatureC?: string | null;
  @Limits(rangeLimits(integerRanges.oxygenSaturation))
  @optionalField(() => Int, 'Oxygen saturation of the blood in percent, 50 to 100.')
  oxygenSaturation?: number | null;
  @Limits(decimalLimits(decimalRanges.bloodGlucose))
  @optionalField(() => Decimal, 'Blood glucose in mg/dL, 20 to 800.')
  bloodGlucose?: string | null;
  @Limits(decimalLimits(decimalRanges.weightKg))
  @optionalField(() => Decimal, 'Body weight in kg, 1 to 500.')
  weightKg?: string | null;
  @Limits(rangeLimits(integerRanges.stepCount))
  @optionalField(() => Int, 'Steps since the previous reading, 0 to 200,000.')
  stepCount?: number | null;
  @Limits(notesLimits)
  @optionalField(() => String, 'Notes, at most 1,000 characters; empty by default.')
  notes?: string | null;
  @optionalField(() => DateTime, 'Time of the measurement, not in the future; now by default.')
  measuredAt?: Date | null;
}

@InputType({ description: 'Input of `deleteVitalReading`.' })
class DeleteVitalReadingInput {
  @Field(() => ID, { description: 'Vital reading to delete.' }) vitalReadingId!: string;
}

@ArgsType()
class VitalReadingsArgs extends DateRangeArgs {
  @searchField('the notes') search?: string | null;
  @orderByField(() => VitalReadingOrder) orderBy?: string[] | null;
}

const RecordVitalReadingPayload = payloadOf('recordVitalReading', {
  vitalReading: [() => VitalReading, 'Vital reading recorded.'],
});
export const vitalReadingSafety = safetyResolvers(VitalReading, RecordVitalReadingPayload);
const DeleteVitalReadingPayload = payloadOf('deleteVitalReading', {
  deletedId: [() => ID, 'Global id of the deleted vital reading.'],
});

@Resolver(() => Person)
export class PersonVitalReadings {
  @ListSize(vitalReferenceRanges.length)
  @FieldResolver(() => [VitalReferenceRange], {
    description: 'Ranges of vital signs that are typical for adults, the same for everybody. Not a diagnosis.',
  })
  vitalReferenceRanges(): readonly VitalReferenceRange[] {
    return vitalReferenceRanges;
  }

  @Access('verified')
  @FieldResolver(() => VitalReadingConnection, { nullable: true, description: 'Vital readings, newest first.' })
  vitalReadings(
    @Args(() => VitalReadingsArgs) args: VitalReadingsArgs,
    @Ctx() context: Context,
  ): Connection<VitalReadingRow> {
    return new Connection(VitalReadingConnection, vitals.page(context, args), args);
  }

  @Access('verified')
  @Cost(1)
  @FieldResolver(() => VitalReading, {
    nullable: true,
    description: 'Vital reading with this global id; null if there is none.',
  })
  vitalReading(
    @Arg('id', () => ID, { description: 'Global id of the vital reading.' }) id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<VitalReadingRow | null> {
    return vitals.find(context, numberOfId('VitalReading', id, 'id'), selectionOf(info));
  }
}

@Resolver()
export class VitalReadingRoots {
  @Access('verified')
  @Mutation(() => RecordVitalReadingPayload, { nullable: true, description: 'Records a vital reading.' })
  async recordVitalReading(
    @InputArg(() => RecordVitalReadingInput) input: RecordVitalReadingInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ vitalReading: VitalReadingRow } & Heard> {
    const id = await recordVitalReading(context, input);
    const vitalReading = await vitals.get(context, id, selectionBelow(info, 'vitalReading'));
    return withSafety('vitalReading', vitalReading, () => noticeOfReading(context, input));
  }

  @Access('verified')
  @Mutation(() => DeleteVitalReadingPayload, { nullable: true, description: 'Deletes a vital reading permanently.' })
  async deleteVitalReading(
    @InputArg(() => DeleteVitalReadingInput) { vitalReadingId }: DeleteVitalReadingInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await vitals.delete(context, numberOfId('VitalReading', vitalReadingId, 'vitalReadingId'));
    return { deletedId: vitalReadingId };
  }
}
