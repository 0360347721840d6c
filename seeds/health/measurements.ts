import type { EntityManager } from '@mikro-orm/postgresql';
import { HealthGoal } from '../../schema/health/health-goal.ts';
import { Person } from '../../schema/health/person.ts';
import { SymptomLog } from '../../schema/health/symptom-log.ts';
import { VitalReading } from '../../schema/health/vital-reading.ts';
import type { DerivedKeys } from '../../src/auth/derived-keys.ts';
import { seededRandom } from '../seeded-random.ts';
import { localTime } from './local-time.ts';
import { demoCredentials, demoZones } from './people.ts';

/** Days of demo data. */
const periodDays = 30;

/** An entry of one day, at a local hour and minute. */
interface DayEntry {
  at: [hour: number, minute: number];
  vitals?: Partial<VitalReading>;
  symptom?: Pick<SymptomLog, 'symptomName' | 'severity'> & Partial<SymptomLog>;
}

/** A month of one person. `chance` returns pseudo-random numbers in [0, 1), the same on every installation. */
interface DemoMonth {
  seed: number;
  goals: Partial<HealthGoal>[];
  /** `done`: elapsed share of the month, 0 to 1. */
  day(day: number, done: number, chance: () => number): DayEntry[];
}

const between = (low: number, high: number, share: number): number => low + (high - low) * share;
const integerBetween = (low: number, high: number, share: number): number => Math.round(between(low, high, share));

const months: Record<'amira' | 'benedikt' | 'chiara', DemoMonth> = {
  // New medication and walks: fasting glucose falls over the month, and with it fatigue and thirst.
  amira: {
    seed: 11,
    goals: [
      {
        goalType: 'blood_sugar',
        targetValue: '110.00',
        unit: 'mg/dL',
        description: 'Fasting, in the morning',
        startValue: '158.00',
      },
      { goalType: 'steps', targetValue: '8000.00', unit: 'steps', description: 'A walk after dinner' },
      { goalType: 'weight', targetValue: '68.00', unit: 'kg', description: 'Slowly, by spring', startValue: '72.60' },
      {
        goalType: 'water',
        targetValue: '2000.00',
        unit: 'ml',
        description: 'A carafe on the desk',
        givenValue: '1500.00',
      },
    ],
    day: (day, done, chance) => [
      {
        at: [6, integerBetween(40, 59, chance())],
        vitals: {
          bloodGlucose: `${integerBetween(150, 120, done) + integerBetween(-8, 8, chance())}.00`,
          ...(day % 7 === 0 ? { weightKg: between(72.6, 71.5, day / 28).toFixed(2) } : {}),
          notes: 'Fasting',
        },
      },
      ...(day % 3 === 1
        ? [
            {
              at: [14, integerBetween(0, 40, chance())],
              vitals: {
                bloodGlucose: `${integerBetween(190, 160, done) + integerBetween(-12, 12, chance())}.00`,
                notes: 'Two hours after lunch',
              },
            } satisfies DayEntry,
          ]
        : []),
      {
        at: [21, integerBetween(0, 45, chance())],
        vitals: {
          steps: integerBetween(5200, 8600, done) + integerBetween(-900, 900, chance()),
          heartRate: integerBetween(68, 78, chance()),
        },
      },
      ...(chance() < between(0.5, 0.2, done)
        ? [
            {
              at: [16, integerBetween(0, 59, chance())],
              symptom: { symptomName: 'fatigue', severity: integerBetween(6, 3, done), description: 'After lunch' },
            } satisfies DayEntry,
          ]
        : []),
      ...(chance() < between(0.4, 0.1, done)
        ? [
            {
              at: [22, integerBetween(0, 30, chance())],
              symptom: { symptomName: 'thirst', severity: integerBetween(5, 2, done) },
            } satisfies DayEntry,
          ]
        : []),
    ],
  },
  // Measures every morning and every other evening; occasional knee pain.
  benedikt: {
    seed: 23,
    goals: [
      {
        goalType: 'blood_pressure',
        targetValue: '130.00',
        unit: 'mmHg',
        description: 'The upper one, in the morning',
        startValue: '152.00',
      },
      { goalType: 'weight', targetValue: '84.00', unit: 'kg', description: 'For the knee', startValue: '89.00' },
      {
        goalType: 'custom',
        targetValue: '12.00',
        unit: 'sessions',
        description: 'Physiotherapy for the knee',
        givenValue: '7.00',
      },
      {
        goalType: 'steps',
        targetValue: '5000.00',
        unit: 'steps',
        description: 'Too much for the knee',
        isActive: false,
      },
    ],
    day: (day, done, chance) => [
      {
        at: [7, integerBetween(10, 40, chance())],
        vitals: {
          systolicBp: integerBetween(150, 138, done) + integerBetween(-5, 5, chance()),
          diastolicBp: integerBetween(94, 86, done) + integerBetween(-3, 3, chance()),
          heartRate: integerBetween(66, 76, chance()),
          ...(day % 7 === 0 ? { weightKg: between(89, 88, day / 28).toFixed(2) } : {}),
        },
      },
      ...(day % 2 === 0
        ? [
            {
              at: [20, integerBetween(0, 50, chance())],
              vitals: {
                systolicBp: integerBetween(144, 134, done) + integerBetween(-5, 5, chance()),
                diastolicBp: integerBetween(90, 84, done) + integerBetween(-3, 3, chance()),
                heartRate: integerBetween(68, 80, chance()),
                notes: 'Evening',
              },
            } satisfies DayEntry,
          ]
        : []),
      ...(chance() < 0.35
        ? [
            {
              at: [18, integerBetween(0, 59, chance())],
              symptom: {
                symptomName: 'knee pain',
                severity: integerBetween(3, 6, chance()),
                bodyLocation: 'Right knee',
                description: 'On the stairs',
              },
            } satisfies DayEntry,
          ]
        : []),
      ...(chance() < between(0.2, 0.08, done)
        ? [
            {
              at: [9, integerBetween(0, 59, chance())],
              symptom: {
                symptomName: 'headache',
                severity: integerBetween(2, 4, chance()),
                bodyLocation: 'Back of the head',
              },
            } satisfies DayEntry,
          ]
        : []),
    ],
  },
  // Works nights: a migraine with aura about once a week, asthma in between.
  chiara: {
    seed: 37,
    goals: [
      {
        goalType: 'sleep',
        targetValue: '7.50',
        unit: 'hours',
        description: 'After night shifts too',
        givenValue: '6.00',
      },
      {
        goalType: 'water',
        targetValue: '2500.00',
        unit: 'ml',
        description: 'Against the headaches',
        givenValue: '1900.00',
      },
      {
        goalType: 'custom',
        targetValue: '20.00',
        unit: 'days',
        description: 'Days in the month without a migraine',
        givenValue: '17.00',
      },
    ],
    day: (day, _done, chance) => [
      {
        at: [17, integerBetween(0, 40, chance())],
        vitals: {
          heartRate: integerBetween(60, 72, chance()),
          oxygenSaturation: integerBetween(95, 99, chance()),
          ...(day % 10 === 0 ? { weightKg: between(58.5, 58.2, day / 30).toFixed(2) } : {}),
        },
      },
      ...(day % 7 === 3
        ? [
            {
              at: [10, 5],
              symptom: { symptomName: 'visual aura', severity: 4, description: 'Zigzag lines for twenty minutes' },
            } satisfies DayEntry,
            {
              at: [10, 40],
              symptom: {
                symptomName: 'headache',
                severity: integerBetween(7, 9, chance()),
                bodyLocation: 'Left temple',
                description: 'After three nights',
              },
            } satisfies DayEntry,
            {
              at: [11, 15],
              symptom: { symptomName: 'nausea', severity: integerBetween(4, 6, chance()) },
            } satisfies DayEntry,
          ]
        : []),
      ...(chance() < 0.2
        ? [
            {
              at: [4, integerBetween(0, 40, chance())],
              symptom: {
                symptomName: 'shortness of breath',
                severity: integerBetween(3, 5, chance()),
                description: 'Cold air on the way home; better after the spray',
              },
            } satisfies DayEntry,
            {
              at: [4, 45],
              vitals: {
                oxygenSaturation: integerBetween(93, 95, chance()),
                heartRate: integerBetween(84, 96, chance()),
                notes: 'After the spray',
              },
            } satisfies DayEntry,
          ]
        : []),
    ],
  },
};

/** Seeds a month of goals, readings and symptom logs up to `now`. */
export async function seedMeasurements(em: EntityManager, keys: DerivedKeys, now: Date): Promise<void> {
  const people = demoCredentials(keys);
  for (const [name, month] of Object.entries(months) as [keyof typeof months, DemoMonth][]) {
    const user = await em.findOneOrFail(Person, { email: people[name].email });
    seedMonth(em, user.id, demoZones[name], month, now);
  }
}

function seedMonth(em: EntityManager, userId: number, zone: string, { seed, goals, day }: DemoMonth, now: Date): void {
  const chance = seededRandom(seed);
  for (let number = 0; number <= periodDays; number++) {
    for (const { at, vitals, symptom } of day(number, number / periodDays, chance)) {
      const when = localTime(zone, now, number - periodDays, at);
      if (when > now) continue;
      // Entered a few minutes after the measurement, and never after `now`.
      const createdAt = new Date(Math.min(now.getTime(), when.getTime() + 4 * 60_000)).toISOString();
      if (vitals)
        em.create(VitalReading, { userId, notes: '', ...vitals, measuredAt: when.toISOString(), createdAt } as never);
      if (symptom)
        em.create(SymptomLog, {
          userId,
          bodyLocation: '',
          description: '',
          ...symptom,
          loggedAt: when.toISOString(),
          createdAt,
        } as never);
    }
  }
  const begun = localTime(zone, now, -periodDays, [8, 0]);
  for (const [at, goal] of goals.entries()) {
    const madeAt = new Date(begun.getTime() + at * 60_000);
    const createdAt = madeAt.toISOString();
    const given = goal.givenValue === undefined ? {} : { givenAt: now.toISOString() };
    const startDate = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(madeAt);
    em.create(HealthGoal, {
      userId,
      isActive: true,
      startDate,
      createdAt,
      updatedAt: createdAt,
      ...given,
      ...goal,
    } as never);
  }
}
