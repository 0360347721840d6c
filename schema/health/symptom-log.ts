import { Integer, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

@Noun('symptom_log', 'Logged symptom of a person.')
@Index<SymptomLog>('symptom_log_by_logged_at', ['userId', 'loggedAt', 'id'])
@Index<SymptomLog>('symptom_log_by_name', ['userId', c => `lower(${c.symptomName})`, 'id'])
@Index<SymptomLog>('symptom_log_by_severity', ['userId', 'severity', 'id'])
export class SymptomLog {
  @Key('Number of the entry.')
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

export const SymptomLogConnection = connectionOf('SymptomLog', () => SymptomLog, 'logged symptoms');
