/** Text from a request for an error message: cut to `maxLength` characters, well-formed, without control characters. */
export function printableText(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return short.toWellFormed().replace(/\p{Cc}/gu, ' ');
}
