import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Account, Organization } from './account.ts';
import { Repository } from './repository.ts';

/** Declares a list by number, over REST. `items`: what it holds, in the plural. */
function numberedListOf(name: string, node: () => object, items: string): new () => object {
  @ObjectType(name, { description: `${items} by number, over REST.`, simpleResolvers: true })
  class NumberedList {
    @Computed(() => [node()] as never, 'Items of the page.')
    nodes!: object[];

    @Computed(() => String, 'Number after which the next page starts; null for the last page.', { null: true })
    nextCursor!: string | null;

    @Computed(() => String, 'Always null: pages are read forward.', { null: true })
    previousCursor!: string | null;
  }
  return NumberedList;
}

export const RepositoriesByNumber = numberedListOf('RepositoriesByNumber', () => Repository, 'Public repositories');
export const AccountsByNumber = numberedListOf('AccountsByNumber', () => Account, 'Accounts');
export const OrganizationsByNumber = numberedListOf('OrganizationsByNumber', () => Organization, 'Organizations');
