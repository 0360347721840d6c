import { Extensions } from 'type-graphql';

/** Extension of an input field that takes more than other requests may have: the maximum bytes of a request that feeds it. */
export const largeInput = 'largeInput';

/** Sets the maximum size of requests whose variables feed an input field, where that of all requests is too small. */
export const LargeInput = (maxBodyBytes: number): PropertyDecorator & MethodDecorator =>
  Extensions({ [largeInput]: maxBodyBytes });
