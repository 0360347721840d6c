import { type Kysely, sql } from 'kysely';
import { Assessment } from '../../../schema/health/assessment.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';

/** An assessment as a query brings it: its id, and of the rest what was selected. */
export type AssessmentRow = Omit<Assessment, 'userId' | 'reported' | 'terms' | 'triageLevel' | 'urgency'>;

/** The result is a page of JSON: it is read where it is selected alone. */
const assessmentSelectList = columnsOf(Assessment, 'assessment', {
  always: ['id'],
  computed: { symptomText: "array_to_string(symptoms, ', ')", saved: 'true' },
});

/** The most assessments one answer holds. */
const pageSize = 200;

const ordering: OrderingOptions = {
  names: { created_at: 'created_at', severity: 'severity', status: 'status', subject: 'subject', id: 'id' },
  key: 'id',
  byDefault: '-created_at',
};

export interface AssessmentFilter {
  search?: string | null | undefined;
  ordering?: string | null | undefined;
  page: number;
}

/** The caller's own assessments, the newest first, 200 at most; `page` gives the 200 after them. */
export function ownAssessments(
  context: Context,
  filter: AssessmentFilter,
  wanted: Selection,
): Promise<AssessmentRow[]> {
  const { userId } = requirePerson(context.actor);
  // Within the rows of one person, which an index finds, so the search needs none.
  const text = sql`array_to_string(symptoms, ' ') || chr(31) || additional_notes || chr(31) || allergies || chr(31) ||
    coalesce(jsonb_path_query_array(result, '$.possibleCauses[*].condition')::text, '')`;
  const where = sql.join([sql`user_id = ${userId}`, ...containsTerms(text, filter.search)], sql` and `);
  return context.read(sql<AssessmentRow>`select ${assessmentSelectList(wanted)} from assessment where ${where}
    order by ${orderBy(filter.ordering, ordering)} limit ${pageSize} offset ${(filter.page - 1) * pageSize}`);
}

/** One of the caller's own assessments; null for one of somebody else. */
export async function ownAssessment(context: Context, id: string, wanted: Selection): Promise<AssessmentRow | null> {
  const { userId } = requirePerson(context.actor);
  const [found] = await context.read(sql<AssessmentRow>`select ${assessmentSelectList(wanted)} from assessment
    where id = ${id} and user_id = ${userId}`);
  return found ?? null;
}

/** Every assessment of a person, for that person. */
export async function allAssessments(db: Kysely<unknown>, userId: number): Promise<AssessmentRow[]> {
  const { rows } =
    await sql<AssessmentRow>`select ${assessmentSelectList('all')} from assessment where user_id = ${userId}
    order by created_at desc, id asc`.execute(db);
  return rows;
}
