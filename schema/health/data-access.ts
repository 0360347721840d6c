import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Day, Integer, Key, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

export const DataAccessSubject = {
  REPORT: 'report',
  MODERATION: 'moderation',
  BIRTH_DATE: 'birth_date',
  EXPORT: 'export',
} as const;
export type DataAccessSubject = (typeof DataAccessSubject)[keyof typeof DataAccessSubject];
registerEnumType(DataAccessSubject, {
  name: 'DataAccessSubject',
  description:
    'Data that was read. `REPORT`: reports that you sent. `MODERATION`: reports about you with the reported text, decisions about you, and refused attempts to reach the other age group. `BIRTH_DATE`: a held date of birth. `EXPORT`: all of your data.',
});

export const DataReader = { MODERATOR: 'moderator', OPERATOR: 'operator' } as const;
export type DataReader = (typeof DataReader)[keyof typeof DataReader];
registerEnumType(DataReader, {
  name: 'DataReader',
  description: 'Who read. `OPERATOR`: an operator at the command line of the server.',
});

/** One row for all reads of a day by one reader, so that a queue that is loaded anew all day does not fill the table. */
@Noun('data_access', 'Reads of your data by one moderator or operator on one day.')
@Index<DataAccess>('data_access_once', ['userId', 'subject', 'readOn', c => `coalesce(${c.readerId}, 0)`], {
  unique: true,
})
@Index<DataAccess>('data_access_by_user', ['userId', 'id'])
@Index<DataAccess>('data_access_by_reader', ['readerId'])
@Index<DataAccess>('data_access_by_day', ['readOn'])
@Check<DataAccess>('data_access_subject', c => `${c.subject} in ('report', 'moderation', 'birth_date', 'export')`)
@Personal({
  what: 'Days on which a moderator or an operator read your data',
  purpose: 'show you who reads your data, and check moderators',
  kept: '365 days',
  seenBy: 'nobody',
  inExport: ['data_accesses'],
  left: 'what a moderator has read, without the moderator’s name',
})
@Retained<DataAccess>({ rows: '365 days', job: 'account-housekeeping' })
export class DataAccess {
  @Key()
  id!: number;

  /** Whose data was read. */
  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  /** The moderator; null for the command line. Accounts of moderators are erased, and their rows stay. */
  @Owner(() => Person, { onDelete: 'restrict', null: true })
  readerId!: number | null;

  @Computed(() => DataReader, 'Kind of the reader.')
  reader!: DataReader;

  @Choice(() => DataAccessSubject, { about: 'Data that was read.' })
  subject!: DataAccessSubject;

  @Day({ about: 'Day of the reads, in UTC.' })
  readOn!: string;

  @Integer({ about: 'Number of reads on that day.' })
  readCount!: number;

  @Moment({ about: 'Time of the last read on that day.' })
  lastReadAt!: string;
}

export const DataAccessConnection = connectionOf('DataAccess', () => DataAccess, 'reads of your data');
