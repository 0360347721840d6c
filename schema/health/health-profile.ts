import { Entity } from '@mikro-orm/decorators/legacy';
import { Owner, TextList } from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Terms by which people are matched. Only people who are visible in the community have a row. */
@Entity({ tableName: 'health_profile' })
@Index<HealthProfile>('health_profile_terms', ['terms'], { using: 'gin', with: 'fastupdate = off' })
@Personal({
  what: 'Conditions, symptoms and group topics by which people are suggested to you, from what you show to suggestions',
  purpose: 'suggest people with the same condition',
  kept: 'as long as you are visible in the community',
  seenBy: 'people who show the same condition, as the reason',
  inExport: ['community.matching_terms'],
})
export class HealthProfile {
  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @TextList({ hidden: true })
  terms!: string[];

  /** Of gateways of earlier versions; empty. */
  @TextList({ hidden: true })
  quiet!: string[];
}
