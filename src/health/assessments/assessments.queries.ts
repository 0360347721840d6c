import { type Kysely, sql } from 'kysely';
import { Assessment } from '../../../schema/health/assessment.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import { countTallied } from '../../db/list-tallies.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type OrderingOptions, orderBy, requestedOrdering } from '../lists/ordering.ts';
import { tablePage } from '../lists/table-page.ts';

/** Selected columns of an assessment; `id`, its UUID, is always present. */
export type AssessmentRow = Omit<Assessment, 'userId' | 'reported' | 'terms' | 'triageLevel' | 'urgency'>;

/** The result is a page of JSON: it is read where it is selected alone. */
const assessmentSelectList = columnsOf(Assessment, 'assessment', {
  always: ['id'],
  computed: {
    symptomText: "array_to_string(symptoms, ', ')",
    bloodTypeCode: 'blood_type',
    symptomsTrendText: 'symptoms_trend',
    isSaved: 'true',
  },
});

/** Maximum assessments of a response without a page number. */
const unpagedSize = 200;

const assessmentOrdering: OrderingOptions = {
  names: { created_at: 'created_at', severity: 'severity', status: 'status', subject: 'subject', id: 'id' },
  key: 'id',
  byDefault: '-created_at',
};

/** Pages of the caller's assessments. */
export function ownAssessments(
  context: Pick<Context, 'actor' | 'read'>,
  filter: ListFilter,
): ListSource<AssessmentRow> {
  const { userId } = requirePerson(context.actor);
  // Sequential filter over the rows of one user, which an index finds.
  const text = sql`array_to_string(symptoms, ' ') || chr(31) || additional_notes || chr(31) || allergies || chr(31) ||
    coalesce(jsonb_path_query_array(result, '$.possibleCauses[*].condition')::text, '')`;
  const order = orderBy(requestedOrdering(filter), assessmentOrdering);
  return tablePage(context.read, {
    select: assessmentSelectList,
    from: sql.raw('assessment'),
    where: [sql`user_id = ${userId}`, ...containsTerms(text, filter.search)],
    order,
    deep: { key: sql.ref('id'), order },
    ...(filter.search ? {} : { total: countTallied(['assessment'], sql`${userId}`) }),
  });
}

/**
 * A page of the REST contract, which is a plain array. Clients that send no page number have no way to learn of a second
 * page: they get the newest 200. A page number pages like the other lists.
 */
export function ownAssessmentPage(
  context: Context,
  { page, pageSize, ...filter }: ListFilter & { page?: number | null; pageSize: number },
  wanted: Selection,
): Promise<AssessmentRow[]> {
  const own = ownAssessments(context, filter);
  if (page === null || page === undefined) return own.rows({ limit: unpagedSize, offset: 0, wanted });
  return own.rows({ limit: pageSize, offset: (page - 1) * pageSize, wanted });
}

/** The caller's assessments with these ids, in their order; null for the other ids. */
export async function ownAssessmentsByIds(
  context: Pick<Context, 'actor' | 'read'>,
  ids: readonly string[],
  wanted: Selection,
): Promise<(AssessmentRow | null)[]> {
  const { userId } = requirePerson(context.actor);
  const found = await context.read(sql<AssessmentRow>`select ${assessmentSelectList(wanted)} from assessment
    where id = any(${[...ids]}::uuid[]) and user_id = ${userId}`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** One of the caller's assessments; null for any other id. */
export async function ownAssessment(
  context: Pick<Context, 'actor' | 'read'>,
  id: string,
  wanted: Selection,
): Promise<AssessmentRow | null> {
  const [found] = await ownAssessmentsByIds(context, [id], wanted);
  return found ?? null;
}

/** All assessments of a user, the newest first, for the data export. */
export async function allAssessments(db: Kysely<unknown>, userId: number): Promise<AssessmentRow[]> {
  const { rows } =
    await sql<AssessmentRow>`select ${assessmentSelectList('all')} from assessment where user_id = ${userId}
    order by created_at desc, id asc`.execute(db);
  return rows;
}
