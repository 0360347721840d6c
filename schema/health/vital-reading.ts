import { Int } from 'type-graphql';
import { Computed, Exact, Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { sortOrder } from '../vocabulary/sort-order.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Internal values are sort keys in the syntax of the REST contract. */
export const VitalReadingOrder = sortOrder('VitalReadingOrder', 'vital readings', {
  MEASURED_AT: 'measured_at',
  CREATED_AT: 'created_at',
});

@Noun('vital_reading', 'Reading of vital signs at one time, with at least one value.')
@Index<VitalReading>('vital_reading_by_created_at', ['userId', 'createdAt', 'id'])
@Index<VitalReading>('vital_reading_by_measured_at', ['userId', 'measuredAt', 'id'])
@Index<VitalReading>('vital_reading_with_blood_glucose', ['userId', 'measuredAt', 'id'], {
  where: c => `${c.bloodGlucose} is not null`,
})
@Index<VitalReading>('vital_reading_with_systolic_bp', ['userId', 'measuredAt', 'id'], {
  where: c => `${c.systolicBp} is not null`,
})
@Index<VitalReading>('vital_reading_with_weight_kg', ['userId', 'measuredAt', 'id'], {
  where: c => `${c.weightKg} is not null`,
})
@Personal({
  what: 'Readings: blood pressure, weight, temperature and others',
  purpose: 'show you what you measured',
  kept: 'until you delete the entry or the account',
  seenBy: 'a language model: the latest ones, with your consent',
  inExport: ['vitals'],
})
export class VitalReading {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Integer({ about: 'Systolic blood pressure in mmHg, 50 to 300; null where it was not measured.', null: true })
  systolicBp!: number | null;

  @Integer({
    about: 'Diastolic blood pressure in mmHg, 20 to 200 and below the systolic; null where it was not measured.',
    null: true,
  })
  diastolicBp!: number | null;

  @Integer({ about: 'Heart rate in beats per minute, 20 to 250; null where it was not measured.', null: true })
  heartRate!: number | null;

  @Exact('numeric(4,2)', { about: 'Body temperature in °C, 30 to 45; null where it was not measured.', null: true })
  temperatureC!: string | null;

  @Integer({
    about: 'Oxygen saturation of the blood in percent, 50 to 100; null where it was not measured.',
    null: true,
  })
  oxygenSaturation!: number | null;

  @Exact('numeric(5,2)', { about: 'Blood glucose in mg/dL, 20 to 800; null where it was not measured.', null: true })
  bloodGlucose!: string | null;

  @Exact('numeric(5,2)', { about: 'Body weight in kg, 1 to 500; null where it was not measured.', null: true })
  weightKg!: string | null;

  @Integer({ hidden: true, null: true })
  steps!: number | null;

  @Computed(
    () => Int,
    'Steps since the previous reading, 0 to 200,000; the readings of a day add up. Null where they were not counted.',
    { null: true },
  )
  stepCount!: number | null;

  @Text({ about: 'Notes, at most 1,000 characters; may be empty.', default: '' })
  notes!: string;

  @Moment({ about: 'Time of the measurement.' })
  measuredAt!: string;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;
}

export const VitalReadingConnection = connectionOf('VitalReading', () => VitalReading, 'vital readings');
