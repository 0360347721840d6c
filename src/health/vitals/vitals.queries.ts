import { VitalReading } from '../../../schema/health/vital-reading.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { OrderingOptions } from '../lists/ordering.ts';
import { OwnedRecords } from '../records/owned-records.ts';

/** Selected columns of a reading; `id` is always present. */
export type VitalReadingRow = Omit<VitalReading, 'userId' | 'steps'>;

const vitalSelectList = columnsOf(VitalReading, 'v', { always: ['id'], computed: { stepCount: 'v.steps' } });

const vitalOrdering: OrderingOptions = {
  names: { measured_at: 'v.measured_at', created_at: 'v.created_at' },
  key: 'v.id',
  byDefault: '-measured_at',
};

/** The vital readings of users. */
export const vitals = new OwnedRecords<VitalReadingRow>({
  name: 'vital_reading',
  alias: 'v',
  selectList: vitalSelectList,
  searchText: 'v.notes',
  tallies: ['vital_reading'],
  ordering: vitalOrdering,
  time: 'v.measured_at',
});
