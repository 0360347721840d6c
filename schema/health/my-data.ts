import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { AdClickRecord } from './ad.ts';
import { Assessment } from './assessment.ts';
import { AuditEvent } from './audit-event.ts';
import { User } from './user.ts';

@ObjectType({ description: 'A session: somewhere the account is or was in use.', simpleResolvers: true })
export class SessionRecord {
  @Computed(() => Instant, 'When it was opened.')
  createdAt!: string;

  @Computed(() => Instant, 'When it was last renewed.')
  lastUsedAt!: string;

  @Computed(() => Instant, 'When it was ended; null while it is open.', { null: true })
  endedAt!: string | null;
}

@ObjectType({ description: 'Everything that is stored about the caller.', simpleResolvers: true })
export class MyData {
  @Computed(() => Instant, 'When this was put together.')
  generatedAt!: string;

  @Computed(() => User, 'The profile.')
  profile!: User;

  @Computed(() => [SessionRecord], 'Sessions, the newest first.')
  sessions!: SessionRecord[];

  @Computed(() => [AuditEvent], 'What happened to the credentials, the newest first.')
  events!: AuditEvent[];

  @Computed(() => [AdClickRecord], 'Ads that were clicked, the latest click first.')
  adClicks!: AdClickRecord[];

  @Computed(() => [Assessment], 'Assessments, the newest first.')
  assessments!: Assessment[];
}
