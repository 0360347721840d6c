import { registerEnumType } from 'type-graphql';
import { Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Internal values are sort keys in the syntax of the REST contract. */
export const SymptomLogOrder = {
  LOGGED_AT_ASC: 'logged_at',
  LOGGED_AT_DESC: '-logged_at',
  SEVERITY_ASC: 'severity',
  SEVERITY_DESC: '-severity',
  SYMPTOM_NAME_ASC: 'symptom_name',
  SYMPTOM_NAME_DESC: '-symptom_name',
} as const;
export type SymptomLogOrder = (typeof SymptomLogOrder)[keyof typeof SymptomLogOrder];
registerEnumType(SymptomLogOrder, { name: 'SymptomLogOrder', description: 'Sort key of symptom logs.' });

@Noun('symptom_log', 'Logged symptom of a person.')
@Index<SymptomLog>('symptom_log_by_logged_at', ['userId', 'loggedAt', 'id'])
@Index<SymptomLog>('symptom_log_by_name', ['userId', c => `lower(${c.symptomName})`, 'id'])
@Index<SymptomLog>('symptom_log_by_severity', ['userId', 'severity', 'id'])
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

  @Moment({ about: 'Time of the symptom.' })
  loggedAt!: string;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;
}

export const SymptomLogConnection = connectionOf('SymptomLog', () => SymptomLog, 'symptom logs');
