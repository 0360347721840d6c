import { printableText } from '../printable-text.ts';
import type { InvalidParameter } from '../problem.ts';

const printable = (text: string): string => printableText(text, 200);

/** Scalars that are published as strings with a JSON Schema format. */
const formatNames: ReadonlyMap<string, string> = new Map([
  ['DateTime', 'date-time'],
  ['Date', 'date'],
  ['CalendarDate', 'date'],
]);

/** The published lines about one invalid parameter. */
export function parameterLines({ kind, path, value, choices, expected, message, limit }: InvalidParameter): string[] {
  // The value's path in the JSON Schema of the body.
  const place = path.map(step => (typeof step === 'number' ? 'items' : `properties/${step}`)).join('/');
  const shown = formatValue(value);
  switch (kind) {
    case 'required':
      return [`"${path.at(-1)}" wasn't supplied.`];
    case 'choice':
      return [`${shown} is not a member of [${(choices ?? []).map(one => JSON.stringify(one)).join(', ')}].`];
    case 'range':
      return [rangeLine(shown, limit)];
    case 'nul':
      return [`For '${place}', a text cannot hold a null character.`];
    case 'union':
      return [
        'No subschema in "anyOf" matched.',
        ...(choices ?? []).map(one => `For '${place}', ${shown} is not ${withArticle(one)}.`),
      ];
    case 'surrogate':
    case 'value': {
      const format = formatNames.get(expected);
      if (format !== undefined && typeof value === 'string') return [`${shown} is not a valid ${format}.`];
      if (format !== undefined) return [`For '${place}', ${shown} is not a string.`];
      const reason = kind === 'surrogate' ? 'The text is not valid Unicode.' : (message ?? 'the value is not valid.');
      return [`For '${place}', ${reason}`];
    }
    case 'null':
    case 'type': {
      const format = formatNames.get(expected);
      if (format !== undefined && typeof value === 'string') return [`${shown} is not a valid ${format}.`];
      return [`For '${place}', ${shown} is not ${withArticle(format === undefined ? expected : 'string')}.`];
    }
  }
}

function rangeLine(shown: string, limit: InvalidParameter['limit']): string {
  if (limit && 'min' in limit) return `${shown} must be greater than or equal to ${limit.min}.`;
  return `${shown} must be less than or equal to ${limit?.max ?? Number.MAX_SAFE_INTEGER}.`;
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  return printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function withArticle(expected: string): string {
  const name = expected === 'list' ? 'array' : expected;
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
}
