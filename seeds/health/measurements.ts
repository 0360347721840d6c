import type { EntityManager } from '@mikro-orm/postgresql';
import { HealthGoal } from '../../schema/health/health-goal.ts';
import { SymptomLog } from '../../schema/health/symptom-log.ts';
import { User } from '../../schema/health/user.ts';
import { VitalReading } from '../../schema/health/vital-reading.ts';
import type { Keys } from '../../src/auth/keys.ts';
import { localMoment } from './local-moment.ts';
import { demoPeople, demoZones } from './people.ts';

/** Days that the demo people have been keeping notes for. */
const days = 30;

/** What is told on one day, with the hour and minute of the person's own clock. */
interface Told {
  at: [hour: number, minute: number];
  vitals?: Partial<VitalReading>;
  symptom?: Pick<SymptomLog, 'symptomName' | 'severity'> & Partial<SymptomLog>;
}

/** Somebody's month. `chance` gives numbers between 0 and 1, the same on every installation. */
interface Month {
  seed: number;
  goals: Partial<HealthGoal>[];
  /** `done`: how much of the month is over, 0 to 1. */
  day(day: number, done: number, chance: () => number): Told[];
}

const between = (low: number, high: number, share: number): number => low + (high - low) * share;
const whole = (low: number, high: number, share: number): number => Math.round(between(low, high, share));

const months: Record<'amira' | 'benedikt' | 'chiara', Month> = {
  // New medicine and walks: fasting glucose comes down over the month, and with it tiredness and thirst.
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
        at: [6, whole(40, 59, chance())],
        vitals: {
          bloodGlucose: `${whole(150, 120, done) + whole(-8, 8, chance())}.00`,
          ...(day % 7 === 0 ? { weightKg: between(72.6, 71.5, day / 28).toFixed(2) } : {}),
          notes: 'Fasting',
        },
      },
      ...(day % 3 === 1
        ? [
            {
              at: [14, whole(0, 40, chance())],
              vitals: {
                bloodGlucose: `${whole(190, 160, done) + whole(-12, 12, chance())}.00`,
                notes: 'Two hours after lunch',
              },
            } satisfies Told,
          ]
        : []),
      {
        at: [21, whole(0, 45, chance())],
        vitals: { steps: whole(5200, 8600, done) + whole(-900, 900, chance()), heartRate: whole(68, 78, chance()) },
      },
      ...(chance() < between(0.5, 0.2, done)
        ? [
            {
              at: [16, whole(0, 59, chance())],
              symptom: { symptomName: 'fatigue', severity: whole(6, 3, done), description: 'After lunch' },
            } satisfies Told,
          ]
        : []),
      ...(chance() < between(0.4, 0.1, done)
        ? [
            {
              at: [22, whole(0, 30, chance())],
              symptom: { symptomName: 'thirst', severity: whole(5, 2, done) },
            } satisfies Told,
          ]
        : []),
    ],
  },
  // Measures every morning as the doctor asked, and every other evening; the knee minds the weather.
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
        at: [7, whole(10, 40, chance())],
        vitals: {
          systolicBp: whole(150, 138, done) + whole(-5, 5, chance()),
          diastolicBp: whole(94, 86, done) + whole(-3, 3, chance()),
          heartRate: whole(66, 76, chance()),
          ...(day % 7 === 0 ? { weightKg: between(89, 88, day / 28).toFixed(2) } : {}),
        },
      },
      ...(day % 2 === 0
        ? [
            {
              at: [20, whole(0, 50, chance())],
              vitals: {
                systolicBp: whole(144, 134, done) + whole(-5, 5, chance()),
                diastolicBp: whole(90, 84, done) + whole(-3, 3, chance()),
                heartRate: whole(68, 80, chance()),
                notes: 'Evening',
              },
            } satisfies Told,
          ]
        : []),
      ...(chance() < 0.35
        ? [
            {
              at: [18, whole(0, 59, chance())],
              symptom: {
                symptomName: 'knee pain',
                severity: whole(3, 6, chance()),
                bodyLocation: 'Right knee',
                description: 'On the stairs',
              },
            } satisfies Told,
          ]
        : []),
      ...(chance() < between(0.2, 0.08, done)
        ? [
            {
              at: [9, whole(0, 59, chance())],
              symptom: { symptomName: 'headache', severity: whole(2, 4, chance()), bodyLocation: 'Back of the head' },
            } satisfies Told,
          ]
        : []),
    ],
  },
  // Works nights, so the days are short: migraine about once a week with what announces it, asthma in between.
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
        at: [17, whole(0, 40, chance())],
        vitals: {
          heartRate: whole(60, 72, chance()),
          oxygenSaturation: whole(95, 99, chance()),
          ...(day % 10 === 0 ? { weightKg: between(58.5, 58.2, day / 30).toFixed(2) } : {}),
        },
      },
      ...(day % 7 === 3
        ? [
            {
              at: [10, 5],
              symptom: { symptomName: 'visual aura', severity: 4, description: 'Zigzag lines for twenty minutes' },
            } satisfies Told,
            {
              at: [10, 40],
              symptom: {
                symptomName: 'headache',
                severity: whole(7, 9, chance()),
                bodyLocation: 'Left temple',
                description: 'After three nights',
              },
            } satisfies Told,
            { at: [11, 15], symptom: { symptomName: 'nausea', severity: whole(4, 6, chance()) } } satisfies Told,
          ]
        : []),
      ...(chance() < 0.2
        ? [
            {
              at: [4, whole(0, 40, chance())],
              symptom: {
                symptomName: 'shortness of breath',
                severity: whole(3, 5, chance()),
                description: 'Cold air on the way home; better after the spray',
              },
            } satisfies Told,
            {
              at: [4, 45],
              vitals: {
                oxygenSaturation: whole(93, 95, chance()),
                heartRate: whole(84, 96, chance()),
                notes: 'After the spray',
              },
            } satisfies Told,
          ]
        : []),
    ],
  },
};

/** A month of notes up to `now` for those of the demo people who keep them. */
export async function plantMeasurements(em: EntityManager, keys: Keys, now: Date): Promise<void> {
  const people = demoPeople(keys);
  for (const [name, month] of Object.entries(months) as [keyof typeof months, Month][]) {
    const user = await em.findOneOrFail(User, { email: people[name].email });
    plantMonth(em, user, demoZones[name], month, now);
  }
}

function plantMonth(em: EntityManager, user: User, zone: string, { seed, goals, day }: Month, now: Date): void {
  const chance = chances(seed);
  for (let number = 0; number <= days; number++) {
    for (const { at, vitals, symptom } of day(number, number / days, chance)) {
      const when = localMoment(zone, now, number - days, at);
      if (when > now) continue;
      // Written down a little later, and never ahead of the planting.
      const createdAt = new Date(Math.min(now.getTime(), when.getTime() + 4 * 60_000));
      if (vitals) em.create(VitalReading, { user, notes: '', ...vitals, measuredAt: when, createdAt } as never);
      if (symptom)
        em.create(SymptomLog, {
          user,
          bodyLocation: '',
          description: '',
          ...symptom,
          loggedAt: when,
          createdAt,
        } as never);
    }
  }
  const begun = localMoment(zone, now, -days, [8, 0]);
  for (const [at, goal] of goals.entries()) {
    const createdAt = new Date(begun.getTime() + at * 60_000);
    const given = goal.givenValue === undefined ? {} : { givenAt: now };
    const startDate = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(createdAt);
    em.create(HealthGoal, {
      user,
      isActive: true,
      startDate,
      createdAt,
      updatedAt: createdAt,
      ...given,
      ...goal,
    } as never);
  }
}

/** Mulberry32: 32 bits of state are plenty for a month, and no two installations have another one. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
