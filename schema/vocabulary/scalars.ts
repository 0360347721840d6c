import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** RFC 3339 has no hour 24, which Date takes for the next day. */
const instantText = /^\d{4}-\d{2}-\d{2}[T ](?:[01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** PostgreSQL prints `2026-02-14 09:30:00+00` in a UTC session, `2026-02-14T09:30:00+00:00` in JSON. Rewriting the text costs a tenth of parsing a Date. */
const postgresText = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d+)?\+00(?::00)?$/;

/** Digits of the fraction of a second in the graph: PostgreSQL stores microseconds. */
const fractionDigits = 6;

/**
 * ISO 8601 in UTC with six digits of a second: `2026-02-14T09:30:00.125000Z`. Always as many, so that texts sort as their times do.
 * @param value A Date, or the text that PostgreSQL prints.
 * @throws TypeError for anything else.
 */
export function preciseInstant(value: unknown): string {
  const [second = '', fraction = ''] = isoInstant(value).slice(0, -1).split('.');
  return `${second}.${fraction.padEnd(fractionDigits, '0')}Z`;
}

/**
 * ISO 8601 in UTC, whole seconds without a fraction: `2026-02-14T09:30:00Z`.
 * @param value A Date, or the text that PostgreSQL prints.
 * @throws TypeError for anything else.
 */
export function isoInstant(value: unknown): string {
  if (typeof value === 'string') {
    const parts = postgresText.exec(value);
    if (parts) return `${parts[1]}T${parts[2]}${parts[3] ?? ''}Z`;
  }
  const date = value instanceof Date ? value : new Date(String(value));
  if (Number.isNaN(date.getTime())) throw new TypeError(`DateTime cannot represent ${JSON.stringify(value)}.`);
  return date.toISOString().replace('.000Z', 'Z');
}

function parseInstant(value: unknown): Date {
  if (typeof value === 'string' && instantText.test(value)) {
    const date = new Date(value);
    if (!Number.isNaN(date.getTime()) && isDay(value.slice(0, 10))) return date;
  }
  throw new GraphQLError('Time has wrong format. Use ISO 8601 with a zone, such as 2026-02-14T09:30:00Z.');
}

/** Point in time. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'Point in time: ISO 8601 in UTC with six digits of a second, such as `2026-02-14T09:30:00.000000Z`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: preciseInstant,
  parseValue: parseInstant,
  parseLiteral(node) {
    return parseInstant(node.kind === Kind.STRING ? node.value : undefined);
  },
  extensions: { jsonSchema: { type: 'string', format: 'date-time' } },
});

/** Whether a text such as 2026-02-14 is a day: Date rolls the 30th of February over into another one. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function parseDay(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && isDay(value)) return value;
  throw new GraphQLError('Date has wrong format. Use one of these formats instead: YYYY-MM-DD.');
}

/** Calendar date. */
export const CalendarDate = new GraphQLScalarType<string, string>({
  name: 'CalendarDate',
  description: 'Calendar date: `2026-02-14`.',
  serialize: value => String(value),
  parseValue: parseDay,
  parseLiteral: node => parseDay(node.kind === Kind.STRING ? node.value : undefined),
  extensions: { jsonSchema: { type: 'string', format: 'date' } },
});

/** Maximum digits of a number, above those of any column: the write functions validate the digits of each field. */
const decimalText = /^([+-]?)(?=\.?\d)(\d{0,400})(?:\.(\d{0,400}))?(?:e([+-]?\d{1,3}))?$/i;

/** Plain digits without an exponent, for validation of digits and decimal places: `1.5e3` is `1500`. */
function parseDecimal(value: unknown): string {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  const parts = typeof text === 'string' ? decimalText.exec(text.trim()) : null;
  if (!parts) throw new GraphQLError('A valid number is required.');
  const [plain, sign = '', whole = '', decimals = '', exponent] = parts;
  if (exponent === undefined) return plain;
  const shift = Number(exponent);
  const digits = `${'0'.repeat(Math.max(0, -shift))}${whole}${decimals}${'0'.repeat(Math.max(0, shift))}`;
  const point = Math.max(0, -shift) + whole.length + shift;
  return `${sign}${digits.slice(0, point) || '0'}${point < digits.length ? `.${digits.slice(point)}` : ''}`;
}

function parseUri(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('Enter a URL as text.');
}

/** URL as it was given: people enter addresses without a scheme, and an empty text for none. Links are checked where they are made. */
export const Uri = new GraphQLScalarType<string, string>({
  name: 'URI',
  description: 'URL, or path on this site, as given: `https://example.org/a`, `/a`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3986',
  serialize: value => String(value),
  parseValue: parseUri,
  parseLiteral: node => parseUri(node.kind === Kind.STRING ? node.value : undefined),
  extensions: { jsonSchema: { type: 'string' }, text: 'short' },
});

/** Address of a repository for git over SSH. */
export const GitSshRemote = new GraphQLScalarType<string, string>({
  name: 'GitSSHRemote',
  description: 'Address of a repository for git over SSH: `git@example.org:owner/name.git`.',
  serialize: value => String(value),
  extensions: { jsonSchema: { type: 'string' } },
});

const decimalPattern = '^-?\\d+(\\.\\d+)?$';

/** Exact decimal number. */
export const Decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description: 'Exact decimal number as a string: `"56.00"`. Input may be a number.',
  serialize: value => String(value),
  parseValue: parseDecimal,
  parseLiteral: node =>
    parseDecimal(
      node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : undefined,
    ),
  extensions: {
    jsonSchema: { type: 'string', pattern: decimalPattern },
    inputJsonSchema: { type: ['string', 'number'], pattern: decimalPattern },
  },
});

/** Whole number of any size. */
export const BigInteger = new GraphQLScalarType<string, string>({
  name: 'BigInt',
  description: 'Whole number of any size, as text: `"1234567890123"`.',
  serialize: value => String(value),
  extensions: { jsonSchema: { type: 'string' } },
});

/** File in memory: its bytes, and the media type that the sender stated. */
export interface FileValue {
  mediaType: string;
  bytes: Buffer;
}

function parseFile(value: unknown): FileValue {
  if (typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes))
    return value as FileValue;
  const [, mediaType, data] =
    typeof value === 'string' ? (/^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/]*={0,2})$/.exec(value) ?? []) : [];
  if (mediaType === undefined || data === undefined) {
    throw new GraphQLError('The submitted data was not a file. Check the encoding type on the form.');
  }
  return { mediaType, bytes: Buffer.from(data, 'base64') };
}

/** Uploaded file. */
export const File = new GraphQLScalarType<FileValue, never>({
  name: 'File',
  description: 'File: a part of a multipart form, or a data URL such as `data:image/png;base64,iVBORw0…`.',
  serialize() {
    throw new TypeError('A file is never sent in an answer.');
  },
  parseValue: parseFile,
  parseLiteral: node => parseFile(node.kind === Kind.STRING ? node.value : undefined),
  extensions: { jsonSchema: { type: 'string', format: 'binary' } },
});

/** Text outside of memory. Each iteration yields its chunks from the start. */
export interface TextInPieces {
  pieces(): AsyncIterable<string>;
}

function parseLongText(value: unknown): string | TextInPieces {
  if (typeof value === 'string') return value;
  // A value parsed from JSON has no functions.
  if (typeof value === 'object' && value !== null && 'pieces' in value && typeof value.pieces === 'function') {
    return value as TextInPieces;
  }
  throw new GraphQLError('The value is not a string.');
}

const longText = (name: string, description: string) =>
  new GraphQLScalarType<string | TextInPieces, never>({
    name,
    description,
    serialize() {
      throw new TypeError('Large content is never sent in an answer.');
    },
    parseValue: parseLongText,
    parseLiteral: node => parseLongText(node.kind === Kind.STRING ? node.value : undefined),
    extensions: { jsonSchema: { type: 'string' }, text: 'long' },
  });

/** Base64 of possibly large content. */
export const LongBase64 = longText('LongBase64', 'Bytes in Base64, possibly large.');

/** Possibly large text. */
export const LongText = longText('LongText', 'Text, possibly large.');

const uuidText = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function parseUuid(value: unknown): string {
  if (typeof value === 'string' && uuidText.test(value.trim())) return value.trim().toLowerCase();
  throw new GraphQLError('Must be a valid UUID.');
}

/** UUID. */
export const UuidText = new GraphQLScalarType<string, string>({
  name: 'UUID',
  description: 'UUID in its text form, such as `0199d2a4-7c1e-7b53-9f0a-3d6f1c2b4e5a`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
  serialize: value => String(value),
  parseValue: parseUuid,
  parseLiteral: node => parseUuid(node.kind === Kind.STRING ? node.value : undefined),
  extensions: { jsonSchema: { type: 'string', format: 'uuid' } },
});
