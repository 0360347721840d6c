import { join } from 'node:path';

const compiled = join(import.meta.dirname, '../dist');

/** The assessment engine as compiled, without a server and a database. */
export async function loadAssessments() {
  const [{ evaluate }, { knowledge }] = await Promise.all([
    import(join(compiled, 'src/health/assessments/evaluate.js')) as Promise<
      typeof import('../src/health/assessments/evaluate.ts')
    >,
    import(join(compiled, 'packages/triage/src/knowledge/knowledge.js')) as Promise<
      typeof import('triage/knowledge/knowledge')
    >,
  ]);
  return { evaluate, knowledge };
}
