import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { isDay } from './scalars.ts';

interface TextScalar {
  name: string;
  description: string;
  /** Whether the text is a value; the message says what it must be. */
  accepts(text: string): boolean;
  message: string;
  format?: (text: string) => string;
  /** Whether the texts are times. */
  isTime?: boolean;
}

/** A scalar whose values are texts of one form. */
function textScalar({ name, description, accepts, message, format = text => text, isTime = false }: TextScalar) {
  const parse = (value: unknown): string => {
    if (typeof value === 'string' && accepts(value)) return format(value);
    throw new GraphQLError(message);
  };
  return new GraphQLScalarType<string, string>({
    name,
    description,
    serialize: value => String(value),
    parseValue: parse,
    parseLiteral: (node: ValueNode) => parse(node.kind === Kind.STRING ? node.value : undefined),
    extensions: { jsonSchema: { type: 'string' }, isTime },
  });
}

/** Object id. */
export const GitObjectId = textScalar({
  name: 'GitObjectID',
  description: 'Object id of git: 40 hexadecimal digits.',
  accepts: text => /^[0-9a-f]{40}$/i.test(text),
  message: 'GitObjectID must be 40 hexadecimal digits.',
  format: text => text.toLowerCase(),
});

/** Full name of a ref. Whether git allows the name is for the mutation to find out. */
export const GitRefname = textScalar({
  name: 'GitRefname',
  description: 'Full name of a ref: `refs/heads/main`.',
  accepts: text => text.startsWith('refs/'),
  message: 'GitRefname must be a full name, such as refs/heads/main.',
});

/** Hour 24 is the next day for Date, and no time for RFC 3339. */
const timestamp = /^\d{4}-\d{2}-\d{2}[T ](?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/i;

/** Point in time with the offset of its author. */
export const GitTimestamp = textScalar({
  name: 'GitTimestamp',
  description: 'Point in time with the UTC offset of its author: `2026-02-14T09:30:00+01:00`.',
  accepts: text => timestamp.test(text) && !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10)),
  message: 'GitTimestamp must be an ISO 8601 date and time with an offset, such as 2026-02-14T09:30:00+01:00.',
  isTime: true,
});

/** Bytes in Base64. The mutation decodes them, and refuses other text. */
export const Base64String = textScalar({
  name: 'Base64String',
  description: 'Bytes in padded Base64 of the standard alphabet.',
  accepts: () => true,
  message: 'Base64String must be a string.',
});
