import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Account, Organization } from './account.ts';
import { Repository } from './repository.ts';

@ObjectType({ description: 'Public repositories by number, over REST.', simpleResolvers: true })
export class RepositoriesByNumber {
  @Computed(() => [Repository], 'Repositories of the page.')
  nodes!: object[];

  @Computed(() => String, 'Number after which the next page starts; null for the last page.', { null: true })
  nextCursor!: string | null;

  @Computed(() => String, 'Always null: pages are read forward.', { null: true })
  previousCursor!: string | null;
}

@ObjectType({ description: 'Accounts by number, over REST.', simpleResolvers: true })
export class AccountsByNumber {
  @Computed(() => [Account], 'Accounts of the page.')
  nodes!: object[];

  @Computed(() => String, 'Number after which the next page starts; null for the last page.', { null: true })
  nextCursor!: string | null;

  @Computed(() => String, 'Always null: pages are read forward.', { null: true })
  previousCursor!: string | null;
}

@ObjectType({ description: 'Organizations by number, over REST.', simpleResolvers: true })
export class OrganizationsByNumber {
  @Computed(() => [Organization], 'Organizations of the page.')
  nodes!: object[];

  @Computed(() => String, 'Number after which the next page starts; null for the last page.', { null: true })
  nextCursor!: string | null;

  @Computed(() => String, 'Always null: pages are read forward.', { null: true })
  previousCursor!: string | null;
}
