import { createUnionType, registerEnumType } from 'type-graphql';
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
    USER: { description: 'Not searched: no object is found.' },
    ISSUE: { description: 'Not searched: no object is found.' },
    DISCUSSION: { description: 'Not searched: no object is found.' },
  },
});

export const SearchResultItem = createUnionType({
  name: 'SearchResultItem',
  description: 'Object that a search found.',
  types: () => [Repository, User, Organization] as const,
});

export const SearchResultItemConnection = connectionOf('SearchResultItem', () => SearchResultItem, 'search results');
