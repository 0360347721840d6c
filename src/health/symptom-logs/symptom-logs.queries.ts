import { SymptomLog } from '../../../schema/health/symptom-log.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { OrderingOptions } from '../lists/ordering.ts';
import { OwnedRecords } from '../records/owned-records.ts';

/** Selected columns of a symptom log; `id` is always present. */
export type SymptomLogRow = Omit<SymptomLog, 'userId' | 'isSymptom'>;

const symptomLogSelectList = columnsOf(SymptomLog, 's', { always: ['id'] });

const symptomLogOrdering: OrderingOptions = {
  names: { logged_at: 's.logged_at', severity: 's.severity', symptom_name: 'lower(s.symptom_name)' },
  key: 's.id',
  byDefault: '-logged_at',
};

/** The symptom logs of users. */
export const symptomLogs = new OwnedRecords<SymptomLogRow>({
  name: 'symptom_log',
  alias: 's',
  selectList: symptomLogSelectList,
  searchText: 's.symptom_name || chr(31) || s.body_location || chr(31) || s.description',
  tallies: ['symptom_log'],
  ordering: symptomLogOrdering,
  time: 's.logged_at',
});
