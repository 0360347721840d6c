import { BigIntType } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { CalendarDate, Decimal, Instant } from './scalars.ts';

/**
 * One decorator per column: it is the ORM column and the GraphQL field at once.
 * Every type is written out, nothing is reflected: with `emitDecoratorMetadata` two models that mention each other
 * crash at import, and type-graphql copies every row into a new instance.
 */
interface Shape {
  /** The column may be NULL and the field nullable. */
  null?: boolean;
  /** SQL literal for rows that do not set the column. */
  default?: string | number | boolean | never[];
}
/** A column is either described for the callers of the graph or hidden from it: there is no third kind. */
export type Column = Shape & ({ about: string; hidden?: false } | { hidden: true });

type Decorated = (target: object, property: string) => void;

/** Makes a class a table and an object type of the graph. `about` is written for the caller. */
export function Noun(table: string, about: string): ClassDecorator {
  return target => {
    Entity({ tableName: table })(target as never);
    ObjectType({ description: about, simpleResolvers: true })(target);
  };
}

/** A 64-bit identity primary key; published as a JSON number (exact up to 2^53), hidden when `about` is left out. */
export function Key(about?: string): Decorated {
  return (target, property) => {
    PrimaryKey({ type: new BigIntType('number'), autoincrement: true, generated: 'by default as identity' } as never)(
      target as never,
      property,
    );
    if (about !== undefined) Field(() => GraphQLSafeInt, { description: about })(target, property);
  };
}

/** A random primary key, made by the process that inserts the row; hidden when `about` is left out. */
export function PrimaryUuid(about?: string): Decorated {
  return (target, property) => {
    PrimaryKey({ type: 'uuid' } as never)(target as never, property);
    if (about !== undefined) Field(() => ID, { description: about })(target, property);
  };
}

/** A primary key that is a text of its own, such as a name. Never in the graph. */
export function PrimaryText(): Decorated {
  return (target, property) => PrimaryKey({ type: 'text' } as never)(target as never, property);
}

function column(columnType: string, type: string, field: () => object, options: Column): Decorated {
  return (target, property) => {
    Property({
      type,
      columnType,
      nullable: options.null ?? false,
      ...(options.default === undefined ? {} : { default: options.default }),
    } as never)(target as never, property);
    if (!options.hidden) {
      Field(field as never, { nullable: options.null ?? false, description: options.about })(target, property);
    }
  };
}

/** True or false. */
export const Bool = (options: Column): Decorated => column('boolean', 'boolean', () => Boolean, options);

/** A day of the calendar, `YYYY-MM-DD`, without a time or a zone. */
export const Day = (options: Column): Decorated => column('date', 'date', () => CalendarDate, options);

/** An exact decimal number of the given digits, such as `numeric(5,2)`; published as a string. */
export const Exact = (columnType: string, options: Column): Decorated =>
  column(columnType, 'decimal', () => Decimal, options);

/** A random identifier that is not for counting. */
export const Uuid = (options: Column): Decorated => column('uuid', 'uuid', () => ID, options);

/** Raw bytes, never in the graph: see the responders. */
export const Bytes = (options: Column & { hidden: true }): Decorated => column('bytea', 'blob', () => String, options);

/** A string. Lengths are rules of the verbs that write it, where they can answer with the published message. */
export const Text = (options: Column): Decorated => column('text', 'text', () => String, options);

/** A list of strings, empty rather than NULL. */
export const TextList = (options: Column): Decorated =>
  column('text[]', 'array', () => [String], { default: [] as never, ...options });

/** Numbers of rows that may be gone, empty rather than NULL; never in the graph. */
export const KeyList = (options: Column & { hidden: true }): Decorated =>
  column('bigint[]', 'array', () => [GraphQLSafeInt], { default: [] as never, ...options });

/** A document that is stored and read as a whole; `type` is the object type of the graph that it has the shape of. */
export const Json = (type: () => object, options: Column): Decorated => column('jsonb', 'json', type, options);

/** A 32-bit whole number: counts and sizes, never an id. */
export const Integer = (options: Column): Decorated => column('int', 'integer', () => Int, options);

/** A 64-bit whole number, published as a JSON number (exact up to 2^53): counts that outgrow 32 bits. */
export const Whole = (options: Column): Decorated => column('bigint', 'bigint', () => GraphQLSafeInt, options);

/** A number with a fraction that need not be exact: scores and shares. */
export const Real = (options: Column): Decorated => column('double precision', 'double', () => Float, options);

/** A point in time with microseconds, kept in UTC. */
export const Moment = (options: Column): Decorated => column('timestamptz', 'datetime', () => Instant, options);

/** One word of a closed list. `values` is an enum registered with type-graphql; the column keeps the plain text. */
export const Choice = (values: () => object, options: Column): Decorated => column('text', 'text', values, options);

/** No column: what the list queries compute for the caller. A row always brings it, so it needs no resolver. */
export function Computed(type: () => object, about: string, options: { null?: boolean } = {}): Decorated {
  return (target, property) =>
    Field(type as never, { description: about, nullable: options.null ?? false })(target, property);
}

/** A reference to the owner. Models point up only; the inverse list is a field that the child's folder contributes. */
export function Owner(
  entity: () => unknown,
  options: { onDelete: 'cascade' | 'restrict' | 'set null'; key?: boolean; null?: boolean },
): Decorated {
  return (target, property) => {
    ManyToOne({
      entity: entity as never,
      deleteRule: options.onDelete,
      updateRule: 'no action',
      primary: options.key ?? false,
      nullable: options.null ?? false,
      index: false,
    } as never)(target as never, property);
  };
}
