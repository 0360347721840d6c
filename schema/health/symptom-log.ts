import { Bool, Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { sortOrder } from '../vocabulary/sort-order.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Internal values are sort keys in the syntax of the REST contract. */
export const SymptomLogOrder = sortOrder('SymptomLogOrder', 'symptom logs', {
  LOGGED_AT: 'logged_at',
  SEVERITY: 'severity',
  SYMPTOM_NAME: 'symptom_name',
});

@Noun('symptom_log', 'Logged symptom of a person.')
@Index<SymptomLog>('symptom_log_by_logged_at', ['userId', 'loggedAt', 'id'])
@Index<SymptomLog>('symptom_log_by_name', ['userId', c => `lower(${c.symptomName})`, 'id'])
@Index<SymptomLog>('symptom_log_by_severity', ['userId', 'severity', 'id'])
@Personal({
  what: 'Diary of symptoms',
  purpose: 'show you what you noted',
  kept: 'until you delete the entry or the account',
  seenBy: 'nobody',
  inExport: ['symptoms'],
})
export class SymptomLog {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Text({ about: 'Name of the symptom, at most 100 characters.' })
  symptomName!: string;

  @Integer({ about: 'Severity, 1 to 10.' })
  severity!: number;

  @Text({ about: 'Location in the body, at most 100 characters; may be empty.', default: '' })
  bodyLocation!: string;

  @Text({ about: 'Description, at most 1,000 characters; may be empty.', default: '' })
  description!: string;

  /** False for words of a crisis, which no list of symptoms names. */
  @Bool({ hidden: true, default: true })
  isSymptom!: boolean;

  @Moment({ about: 'Time of the symptom.' })
  loggedAt!: string;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;
}

export const SymptomLogConnection = connectionOf('SymptomLog', () => SymptomLog, 'symptom logs');
