/** An Authorization header (RFC 9110, section 11.6.2): the scheme in lower case, and what follows it. */
export interface AuthorizationHeader {
  scheme: string;
  /** Without blanks at its ends; empty when only a scheme was sent. */
  payload: string;
}

/** Splits a header at its first blank. Two searches, because one regular expression for all parts was quadratic in the blanks. */
export function parseAuthorization(header = ''): AuthorizationHeader {
  const text = header.trim();
  const end = text.search(/\s/);
  if (end < 0) return { scheme: text.toLowerCase(), payload: '' };
  return { scheme: text.slice(0, end).toLowerCase(), payload: text.slice(end).trim() };
}
