import { createUnionType, ObjectType, registerEnumType } from 'type-graphql';
import { connectionOf } from '../vocabulary/connection.ts';
import { Organization, User } from './account.ts';
import { Repository } from './repository.ts';

export const SearchType = {
  REPOSITORY: 'repository',
  USER: 'user',
  ISSUE: 'issue',
  DISCUSSION: 'discussion',
} as const;
export type SearchType = (typeof SearchType)[keyof typeof SearchType];
registerEnumType(SearchType, {
  name: 'SearchType',
  description: 'Type of the objects that a search is for.',
  valuesConfig: {
    USER: { description: 'Users and organizations.' },
    ISSUE: { description: 'Not searched: no object is found.' },
    DISCUSSION: { description: 'Not searched: no object is found.' },
  },
});

/** A search takes the orders of its objects. */
export const SearchSort = {
  STARS: 'stars',
  FORKS: 'forks',
  HELP_WANTED_ISSUES: 'help-wanted-issues',
  UPDATED: 'updated',
  FOLLOWERS: 'followers',
  REPOSITORIES: 'repositories',
  JOINED: 'joined',
} as const;
export type SearchSort = (typeof SearchSort)[keyof typeof SearchSort];
registerEnumType(SearchSort, {
  name: 'SearchSort',
  description: 'Order of the results of a search.',
  valuesConfig: {
    STARS: { description: 'Number of stars of a repository.' },
    FORKS: { description: 'Number of forks of a repository.' },
    HELP_WANTED_ISSUES: { description: 'Without effect: there are no issues.' },
    UPDATED: { description: 'Time of the last change of a repository.' },
    FOLLOWERS: { description: 'Number of followers of an account.' },
    REPOSITORIES: { description: 'Number of repositories of an account.' },
    JOINED: { description: 'Time of creation of an account.' },
  },
});

export const SearchResultItem = createUnionType({
  name: 'SearchResultItem',
  description: 'Object that a search found.',
  types: () => [Repository, User, Organization] as const,
});

export const SearchResultItemConnection = connectionOf('SearchResultItem', () => SearchResultItem, 'search results');

@ObjectType({ description: 'Results of a search.' })
export class SearchResults {}
