import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import type { ListFilter } from '../lists/list-filter.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import type { AssessmentResult } from './evaluate.ts';

/** Selected columns of an assessment; `id` is always present. */
export interface AssessmentRow {
  id: string;
  subject: string;
  bloodType: string | null;
  allergies: string;
  symptoms: string[];
  symptomText: string;
  symptomDuration: string | null;
  hasOtherSymptoms: boolean | null;
  symptomsTrend: string | null;
  severity: number;
  additionalNotes: string;
  status: string;
  result: AssessmentResult | null;
  createdAt: string;
  saved: boolean;
}

/** GraphQL field → SQL expression. */
const columns: Record<Exclude<keyof AssessmentRow, 'id'>, string> = {
  subject: 'subject',
  bloodType: 'blood_type',
  allergies: 'allergies',
  symptoms: 'symptoms',
  symptomText: "array_to_string(symptoms, ', ')",
  symptomDuration: 'symptom_duration',
  hasOtherSymptoms: 'has_other_symptoms',
  symptomsTrend: 'symptoms_trend',
  severity: 'severity',
  additionalNotes: 'additional_notes',
  status: 'status',
  result: 'result',
  createdAt: 'created_at',
  saved: 'true',
};

const selectLists = new WeakMap<Selection, RawBuilder<unknown>>();

/** The select list of a document, cached. `result` is a large JSON value, so it is read only when selected. */
function assessmentSelectList(wanted: Selection): RawBuilder<unknown> {
  const cached = selectLists.get(wanted);
  if (cached) return cached;
  const list = formatSelectList(Object.entries(columns).filter(([name]) => wanted.has(name)));
  selectLists.set(wanted, list);
  return list;
}

// Raw SQL, but no input of the client: all names and expressions are constants above.
const formatSelectList = (named: [string, string][]): RawBuilder<unknown> =>
  sql.raw(['id', ...named.map(([name, column]) => `${column} as "${name}"`)].join(', '));
const fullSelectList = formatSelectList(Object.entries(columns));

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
  const { rows } = await sql<AssessmentRow>`select ${fullSelectList} from assessment where user_id = ${userId}
    order by created_at desc, id asc`.execute(db);
  return rows;
}
