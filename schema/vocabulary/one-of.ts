import { Extensions } from 'type-graphql';

/** Extension of an input type of which exactly one field must be given. */
export const oneOfInput = 'oneOf';

/** Marks an input type as `@oneOf`: callers give exactly one of its nullable fields. type-graphql has no such option. */
export const OneOf = (): ClassDecorator => Extensions({ [oneOfInput]: true }) as ClassDecorator;
