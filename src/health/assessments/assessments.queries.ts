import { type Kysely, sql } from 'kysely';
import { Assessment } from '../../../schema/health/assessment.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';

/** Selected columns of an assessment; `id` is always present. */
export type AssessmentRow = Omit<Assessment, 'userId' | 'reported' | 'terms' | 'triageLevel' | 'urgency'>;

/** The result is a page of JSON: it is read where it is selected alone. */
const assessmentSelectList = columnsOf(Assessment, 'assessment', {
  always: ['id'],
  computed: { symptomText: "array_to_string(symptoms, ', ')", saved: 'true' },
});

/** Maximum assessments per response. */
const pageSize = 200;

export const assessmentOrdering: OrderingOptions = {
  names: { created_at: 'created_at', severity: 'severity', status: 'status', subject: 'subject', id: 'id' },
  key: 'id',
  byDefault: '-created_at',
};

export interface AssessmentFilter extends ListFilter {
  page: number;
}

/** A page of the caller's assessments: 200, the newest first unless `ordering` says otherwise. */
export function ownAssessments(
  context: Context,
  filter: AssessmentFilter,
  wanted: Selection,
): Promise<AssessmentRow[]> {
  const { userId } = requirePerson(context.actor);
  // Sequential filter over the rows of one user, which an index finds.
  const text = sql`array_to_string(symptoms, ' ') || chr(31) || additional_notes || chr(31) || allergies || chr(31) ||
    coalesce(jsonb_path_query_array(result, '$.possibleCauses[*].condition')::text, '')`;
  const where = sql.join([sql`user_id = ${userId}`, ...containsTerms(text, filter.search)], sql` and `);
  return context.read(sql<AssessmentRow>`select ${assessmentSelectList(wanted)} from assessment where ${where}
    order by ${orderBy(filter.ordering, assessmentOrdering)} limit ${pageSize} offset ${(filter.page - 1) * pageSize}`);
}

/** One of the caller's assessments; null for any other id. */
export async function ownAssessment(context: Context, id: string, wanted: Selection): Promise<AssessmentRow | null> {
  const { userId } = requirePerson(context.actor);
  const [found] = await context.read(sql<AssessmentRow>`select ${assessmentSelectList(wanted)} from assessment
    where id = ${id} and user_id = ${userId}`);
  return found ?? null;
}

/** All assessments of a user, the newest first, for the data export. */
export async function allAssessments(db: Kysely<unknown>, userId: number): Promise<AssessmentRow[]> {
  const { rows } =
    await sql<AssessmentRow>`select ${assessmentSelectList('all')} from assessment where user_id = ${userId}
    order by created_at desc, id asc`.execute(db);
  return rows;
}
