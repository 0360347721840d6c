import pg from 'pg';
import type { Sent } from './statements.ts';

/** Reads while serializing the rows, such as values stored in TOAST tables. */
interface Serialization {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Buffers equivalent to sending, planning and answering one statement. */
const perStatement = 10;
/** Rows that a plan node returns or filters out in the time of reading one buffer. */
const rowsPerBuffer = 20;

/**
 * The database work of statements in buffers: those touched when each statement is executed again, the rows its plan nodes
 * process, and ten per statement. These figures hardly depend on the machine; milliseconds do. Writes are rolled back.
 */
export async function databaseWork(databaseUrl: string, statements: readonly Sent[]): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  let work = 0;
  try {
    for (const { text, values } of statements) {
      await client.query('begin');
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan; Serialization?: Serialization }[] }>(
        `explain (analyze, buffers, serialize text, format json) ${text}`,
        values,
      );
      await client.query('rollback');
      const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
      if (!explained) throw new Error(`There is no plan of ${text}`);
      const { Plan: plan, Serialization: serialization } = explained;
      work += (serialization?.['Shared Hit Blocks'] ?? 0) + (serialization?.['Shared Read Blocks'] ?? 0);
      work += perStatement + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] + rowsOf(plan) / rowsPerBuffer;
    }
  } finally {
    await client.end();
  }
  return Math.round(work);
}

function rowsOf(plan: Plan): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), own);
}
