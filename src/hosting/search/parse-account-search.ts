import { searchRefusal as refusal, searchTerms } from './search-terms.ts';

/** What a query such as `wren type:user in:login` asks for. */
export interface AccountSearch {
  /** Each must occur in one of the places. */
  words: string[];
  places: ('login' | 'name')[];
  /** Logins, any of which the account has. */
  logins: string[];
  kind?: 'user' | 'organization';
}

/**
 * Reads the query of a search for accounts. A qualifier that is not known is an error: a result that ignores it looks right.
 *
 * @throws GraphQLError BAD_USER_INPUT, status 400
 */
export function parseAccountSearch(query: string): AccountSearch {
  const search: AccountSearch = { words: [], places: ['login', 'name'], logins: [] };
  for (const { whole, qualifier, value } of searchTerms(query)) {
    if (qualifier === undefined) search.words.push(value);
    else apply(search, qualifier, value.toLowerCase(), whole);
  }
  return search;
}

function apply(search: AccountSearch, qualifier: string, value: string, whole: string): void {
  switch (qualifier) {
    case 'user':
    case 'org':
      search.logins.push(value);
      return;
    case 'type': {
      const kinds = { user: 'user', org: 'organization' } as const;
      if (value !== 'user' && value !== 'org') throw refusal(`has ${whole}; the value is one of user, org`);
      search.kind = kinds[value];
      return;
    }
    case 'in': {
      const places = value.split(',');
      if (!places.every(one => one === 'login' || one === 'name'))
        throw refusal(`has ${whole}; the value is one of login, name`);
      search.places = places as AccountSearch['places'];
      return;
    }
    default:
      throw refusal(`has the qualifier ${whole}, which is not supported`);
  }
}
