import pg from 'pg';
import type { TestGateway } from './gateway.ts';
import type { Sent } from './statements.ts';

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Scans of an executed plan, with the number of their loops and rows. */
export interface Scan {
  scan: string;
  loops: number;
  rows: number;
}

/** Executes a statement that a gateway sent, with its plan. */
export async function scansOf(
  { databaseUrl }: Pick<TestGateway, 'databaseUrl'>,
  { text, values }: Sent,
  mode: 'force_custom_plan' | 'force_generic_plan',
): Promise<Scan[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(`set plan_cache_mode = ${mode}`);
    // Prepared, as the gateway sends it; PostgreSQL infers the parameter types.
    await client.query(`prepare searched as ${text}`);
    const given = values.map(value =>
      Array.isArray(value) ? pg.escapeLiteral(arrayText(value)) : pg.escapeLiteral(String(value)),
    );
    const { rows } = await client.query(`explain (analyze, format json) execute searched(${given.join(', ')})`);
    const scans: Scan[] = [];
    const look = (plan: Plan): void => {
      const name = plan['Index Name'] ?? plan['Relation Name'];
      const visited = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
      if (/Scan/.test(plan['Node Type']) && name) {
        const loops = plan['Actual Loops'];
        scans.push({ scan: `${plan['Node Type']} ${name}`, loops, rows: Math.round(visited * loops) });
      }
      for (const inner of plan.Plans ?? []) look(inner);
    };
    look(rows[0]['QUERY PLAN'][0].Plan);
    return scans;
  } finally {
    await client.end();
  }
}

const arrayText = (values: unknown[]): string =>
  `{${values.map(value => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
