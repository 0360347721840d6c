import { Exact, Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { User } from './user.ts';

@Noun('vital_reading', 'What a person measured at one time: any of the values, at least one.')
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
export class VitalReading {
  @Key('Number of the reading.')
  id!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  userId!: number;

  @Integer({ about: 'Systolic blood pressure in mmHg, 50 to 300.', null: true })
  systolicBp!: number | null;

  @Integer({ about: 'Diastolic blood pressure in mmHg, 20 to 200 and below the systolic.', null: true })
  diastolicBp!: number | null;

  @Integer({ about: 'Heart beats per minute, 20 to 250.', null: true })
  heartRate!: number | null;

  @Exact('numeric(4,2)', { about: 'Body temperature in °C, 30 to 45.', null: true })
  temperatureC!: string | null;

  @Integer({ about: 'Oxygen saturation of the blood in per cent, 50 to 100.', null: true })
  oxygenSaturation!: number | null;

  @Exact('numeric(5,2)', { about: 'Blood glucose in mg/dL, 20 to 800.', null: true })
  bloodGlucose!: string | null;

  @Exact('numeric(5,2)', { about: 'Body weight in kg, 1 to 500.', null: true })
  weightKg!: string | null;

  @Integer({ about: 'Steps since the reading before, 0 to 200,000: readings of a day add up.', null: true })
  steps!: number | null;

  @Text({ about: 'Notes, at most 1,000 characters; may be empty.', default: '' })
  notes!: string;

  @Moment({ about: 'When it was measured.' })
  measuredAt!: string;

  @Moment({ about: 'When it was entered.' })
  createdAt!: string;
}

export const VitalReadingPage = pageOf('VitalReadingPage', () => VitalReading, 'A page of readings.');
