import { cachedSelectList } from '../lists/cached-select-list.ts';
import type { OrderingOptions } from '../lists/ordering.ts';
import { OwnedRecords } from '../records/owned-records.ts';

/** Selected columns of a symptom log; `id` is always present. */
export interface SymptomLogRow {
  id: number;
  symptomName: string;
  severity: number;
  bodyLocation: string;
  description: string;
  loggedAt: string;
  createdAt: string;
}

const columns = {
  symptomName: 's.symptom_name',
  severity: 's.severity',
  bodyLocation: 's.body_location',
  description: 's.description',
  loggedAt: 's.logged_at',
  createdAt: 's.created_at',
} as const satisfies Record<Exclude<keyof SymptomLogRow, 'id'>, string>;

const symptomLogSelectList = cachedSelectList('s.id', columns);

export const symptomLogOrdering: OrderingOptions = {
  names: { logged_at: 's.logged_at', severity: 's.severity', symptom_name: 'lower(s.symptom_name)' },
  key: 's.id',
  byDefault: '-logged_at',
};

/** The symptom logs of users. */
export const symptomLogs = new OwnedRecords<SymptomLogRow>({
  name: 'symptom_log',
  alias: 's',
  columns,
  selectList: symptomLogSelectList,
  searchText: 's.symptom_name || chr(31) || s.body_location || chr(31) || s.description',
  ordering: symptomLogOrdering,
  time: 's.logged_at',
});
