import { searchRefusal as refusal, searchTerms } from './search-terms.ts';

/** What a query such as `compass user:@me fork:true sort:updated-desc` asks for. An absent field restricts nothing. */
export interface RepositorySearch {
  /** Each must occur in one of the places. */
  words: string[];
  places: ('name' | 'description')[];
  /** Logins, any of which owns the repository; `@me` is the caller. */
  owners: string[];
  /** Each must be a topic. */
  topics: string[];
  forks: 'exclude' | 'include' | 'only';
  isArchived?: boolean;
  isPrivate?: boolean;
  isTemplate?: boolean;
  /** In lower case; any of them is the main language. */
  languages: string[];
  order?: { field: 'updated_at' | 'stargazers' | 'forks'; direction: 'asc' | 'desc' };
}

/** The fields of orders by their published names. */
export const repositoryOrders = { updated: 'updated_at', stars: 'stargazers', forks: 'forks' } as const;

/**
 * Reads the query of a search for repositories. A qualifier that is not known is an error: a result that ignores it looks right.
 *
 * @throws GraphQLError BAD_USER_INPUT, status 400
 */
export function parseRepositorySearch(query: string): RepositorySearch {
  const search: RepositorySearch = {
    words: [],
    places: ['name', 'description'],
    owners: [],
    topics: [],
    forks: 'exclude',
    languages: [],
  };
  for (const { whole, qualifier, value } of searchTerms(query)) {
    if (/^-[a-z]+:/i.test(whole)) throw refusal(`has the exclusion ${whole}, which is not supported`);
    if (qualifier === undefined) search.words.push(value);
    else apply(search, qualifier, value, whole);
  }
  return search;
}

function apply(search: RepositorySearch, qualifier: string, value: string, whole: string): void {
  switch (qualifier) {
    case 'user':
    case 'org':
      search.owners.push(value);
      return;
    case 'topic':
      search.topics.push(value.toLowerCase());
      return;
    case 'language':
      search.languages.push(value.toLowerCase());
      return;
    case 'fork':
      search.forks = choice(value, whole, { true: 'include', only: 'only', false: 'exclude' } as const);
      return;
    case 'archived':
      search.isArchived = choice(value, whole, { true: true, false: false });
      return;
    case 'template':
      search.isTemplate = choice(value, whole, { true: true, false: false });
      return;
    case 'is':
    case 'visibility':
      search.isPrivate = choice(value, whole, { public: false, private: true });
      return;
    case 'in':
      search.places = value.split(',').map(one => choice(one, whole, { name: 'name', description: 'description' }));
      return;
    case 'sort':
      search.order = orderOf(value, whole);
      return;
    default:
      throw refusal(`has the qualifier ${whole}, which is not supported`);
  }
}

function orderOf(value: string, whole: string): NonNullable<RepositorySearch['order']> {
  const [name = '', direction = 'desc'] = value.toLowerCase().split('-', 2);
  return {
    field: choice(name, whole, repositoryOrders),
    direction: choice(direction, whole, { asc: 'asc', desc: 'desc' } as const),
  };
}

function choice<Value>(text: string, whole: string, values: Readonly<Record<string, Value>>): Value {
  const key = text.toLowerCase();
  if (!Object.hasOwn(values, key)) throw refusal(`has ${whole}; the value is one of ${Object.keys(values).join(', ')}`);
  return values[key] as Value;
}
