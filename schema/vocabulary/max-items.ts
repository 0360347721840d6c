import { Extensions } from 'type-graphql';

/** Extension of an input field with a list: its maximum length in variables. Other lists have that of the query limits. */
export const maxItems = 'maxItems';

/** Sets the maximum length of a list in an input, where the maximum of all lists is too small. */
export const MaxItems = (max: number): PropertyDecorator & MethodDecorator => Extensions({ [maxItems]: max });
