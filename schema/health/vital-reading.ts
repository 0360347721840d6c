import { Exact, Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { User } from './user.ts';

@Noun('vital_reading', 'What a person measured at one time: any of the values, at least one.')
export class VitalReading {
  @Key('Number of the reading.')
  id!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  user!: User;

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
  measuredAt!: Date;

  @Moment({ about: 'When it was entered.' })
  createdAt!: Date;
}

export const VitalReadingPage = pageOf('VitalReadingPage', () => VitalReading, 'A page of readings.');
