import { type Kysely, type RawBuilder, sql } from 'kysely';
import { assess, storeAssessment } from '../../src/health/assessments/create-assessment.ts';
import type { AssessmentInput } from '../../src/health/assessments/validate-assessment.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Demo data is inserted where its answers are shown. */
const demoConfig = { ASSESSMENTS: 'triage', SEED: 'demo' } as const;

/** Assessments of the demo people, with their age. */
const demoAssessments: Record<string, [ago: number, input: AssessmentInput][]> = {
  amira: [
    [
      24 * dayMs + 3 * hourMs,
      { subject: 'myself', symptoms: ['thirst', 'tiredness', 'peeing a lot'], symptomDuration: 'more than a month' },
    ],
    [
      9 * dayMs + 5 * hourMs,
      {
        subject: 'myself',
        symptoms: ['tingling in my feet', 'fatigue'],
        symptomDuration: '2 weeks',
        symptomsTrend: 'no change',
      },
    ],
    [
      2 * dayMs + hourMs,
      { subject: 'myself', symptoms: ['blocked nose', 'sore throat', 'no fever'], symptomDuration: '3 days' },
    ],
  ],
  benedikt: [
    [
      17 * dayMs + 8 * hourMs,
      {
        subject: 'myself',
        symptoms: ['knee pain', 'stiff in the morning'],
        symptomDuration: 'more than a month',
        additionalNotes: 'Worse on stairs.',
      },
    ],
    [
      4 * dayMs + 2 * hourMs,
      { subject: 'myself', symptoms: ['headache', 'dizzy when I stand up'], symptomsTrend: 'getting better' },
    ],
  ],
  chiara: [
    [
      20 * dayMs + 11 * hourMs,
      {
        subject: 'myself',
        symptoms: ['headache', 'light hurts my eyes', 'nausea'],
        allergies: 'Birch pollen',
        severity: 7,
      },
    ],
    [
      6 * dayMs + 4 * hourMs,
      {
        subject: 'someone_else',
        symptoms: ['chest pain', 'sweating'],
        symptomDuration: '20 minutes',
        symptomsTrend: 'getting worse',
      },
    ],
    [
      dayMs + 9 * hourMs,
      {
        subject: 'myself',
        symptoms: ['wheezing at night', 'cough'],
        allergies: 'Birch pollen',
        symptomDuration: '4 days',
      },
    ],
  ],
};

/** Evaluates and stores the demo assessments at their times. `db` is the seeding transaction. */
export async function seedAssessments(db: Kysely<unknown>, now: Date): Promise<void> {
  const read = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => (await query.execute(db)).rows;
  for (const [name, assessments] of Object.entries(demoAssessments)) {
    const [person] = await read(sql<{ id: number }>`select id from users where email = ${`${name}@example.org`}`);
    if (!person) throw new Error(`The demo data has no person ${name}.`);
    for (const [ago, input] of assessments) {
      const context = { config: demoConfig, origin: '', read, now: () => new Date(now.getTime() - ago) };
      await storeAssessment(db, person.id, await assess(context, input, person.id));
    }
  }
}
