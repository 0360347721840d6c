/** Decoded values of a query string by name, in the order sent. */
export type QueryParameters = Map<string, string[]>;

/**
 * Parses a query string once, so that a lookup costs the same for any number of keys. URLSearchParams searches and deletes in
 * linear time, and constructing one is quadratic in the number of keys without a value.
 * Invalid percent-encoding stays as it is and bytes that are not UTF-8 become U+FFFD, as in every form decoder.
 */
export function parseQueryString(search: string): QueryParameters {
  const query: QueryParameters = new Map();
  for (const pair of splitPairs(search)) {
    const [name, value] = decodePair(pair);
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

/**
 * The query string with one parameter set, or removed if `value` is undefined. All other bytes and their order stay as sent,
 * because clients compare links with the URL that they requested.
 */
export function setQueryParameter(search: string, name: string, value: string | undefined): string {
  const pairs: string[] = [];
  let isSet = value === undefined;
  for (const pair of splitPairs(search)) {
    if (decodePair(pair)[0] !== name) pairs.push(pair);
    else if (!isSet) {
      pairs.push(`${name}=${encodeURIComponent(value ?? '')}`);
      isSet = true;
    }
  }
  if (!isSet) pairs.push(`${name}=${encodeURIComponent(value ?? '')}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** The query string without the parameters that are not in `names`; the others stay as sent. */
export function keepQueryParameters(search: string, names: ReadonlySet<string>): string {
  const pairs = splitPairs(search).filter(pair => names.has(decodePair(pair)[0]));
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function splitPairs(search: string): string[] {
  return search
    .slice(1)
    .split('&')
    .filter(pair => pair !== '');
}

function decodePair(pair: string): [name: string, value: string] {
  // The `&` keeps URLSearchParams from dropping a question mark at the start of the name.
  if (/[%+]/.test(pair)) for (const entry of new URLSearchParams(`&${pair}`)) return entry;
  const end = pair.indexOf('=');
  return end < 0 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
}
