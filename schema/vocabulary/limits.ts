import { Extensions } from 'type-graphql';

/** What a value of an input satisfies beyond its type, in keywords of JSON Schema. Lengths are in code points. */
export interface ValueLimits {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: ValueLimits;
}

/** Publishes the limits of an input field. They are the constant that the function which takes the value checks it by. */
export const Limits = (limits: ValueLimits): PropertyDecorator & MethodDecorator => Extensions({ jsonSchema: limits });

/** Marks an input field that must be given, though its type is nullable: null has a meaning, or the refusal words of its own. */
export const Needed = (): PropertyDecorator & MethodDecorator => Extensions({ isNeeded: true });

/** Marks an input field that may be left out and yet not be null. */
export const NotNull = (): PropertyDecorator & MethodDecorator => Extensions({ refusesNull: true });
