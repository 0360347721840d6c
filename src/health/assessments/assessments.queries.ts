import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { containsTerms } from '../articles/search-terms.ts';
import { type OrderingOptions, orderBy } from '../lists/ordering.ts';
import type { AssessmentResult } from './evaluate.ts';

/** An assessment as a query brings it: its id, and of the rest what was selected. */
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

/** What the graph calls a column → how it is read. */
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

/** The select list for what a caller wants, made once for each document. The result is a page of JSON: not unless asked for. */
function assessmentSelectList(wanted: Selection): RawBuilder<unknown> {
  const cached = selectLists.get(wanted);
  if (cached) return cached;
  const list = formatSelectList(Object.entries(columns).filter(([name]) => wanted.has(name)));
  selectLists.set(wanted, list);
  return list;
}

// Raw, but nothing of the caller's: names and texts are those above.
const formatSelectList = (named: [string, string][]): RawBuilder<unknown> =>
  sql.raw(['id', ...named.map(([name, column]) => `${column} as "${name}"`)].join(', '));
const fullSelectList = formatSelectList(Object.entries(columns));

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
  const { rows } = await sql<AssessmentRow>`select ${fullSelectList} from assessment where user_id = ${userId}
    order by created_at desc, id asc`.execute(db);
  return rows;
}
