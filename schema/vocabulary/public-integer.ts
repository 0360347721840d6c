import { Extensions } from 'type-graphql';

/** Extension of a field that is `SafeInt` for operation files and `Int` in the public graph. */
export const publicInteger = 'publicInteger';

/** Makes a field `Int` in the public graph, as clients of the field's standard graph declare it. */
export const PublicInteger = (): MethodDecorator & PropertyDecorator => Extensions({ [publicInteger]: true });
