/** Texts of a query string by name, in the order sent. */
export type QueryParameters = Map<string, string[]>;

/**
 * Reads a query string once, so that looking a parameter up costs the same however many keys a caller sends; searching
 * and deleting in a URLSearchParams is linear each time, and making one is quadratic in the keys that have no value.
 * Bad percent-encoding stays as it is and bytes that are no UTF-8 become U+FFFD, as in every form decoder.
 */
export function parseQueryString(search: string): QueryParameters {
  const query: QueryParameters = new Map();
  for (const pair of splitPairs(search)) {
    const [name, value] = decodePair(pair);
    const known = query.get(name);
    if (known) known.push(value);
    else query.set(name, [value]);
  }
  return query;
}

/**
 * The query string with one parameter set, or without it. Everything else stays as sent, byte for byte and in its place:
 * clients compare links with what they asked for.
 */
export function setQueryParameter(search: string, name: string, value: string | undefined): string {
  const pairs: string[] = [];
  let placed = value === undefined;
  for (const pair of splitPairs(search)) {
    if (decodePair(pair)[0] !== name) pairs.push(pair);
    else if (!placed) {
      pairs.push(`${name}=${encodeURIComponent(value ?? '')}`);
      placed = true;
    }
  }
  if (!placed) pairs.push(`${name}=${encodeURIComponent(value ?? '')}`);
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
  // A question mark in front would be taken for the one that begins the query.
  if (/[%+]/.test(pair)) for (const both of new URLSearchParams(`&${pair}`)) return both;
  const end = pair.indexOf('=');
  return end < 0 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
}
