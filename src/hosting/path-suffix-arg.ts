import { Arg } from 'type-graphql';

/** The argument of fields that are addresses: what stands behind them. */
export const PathSuffixArg = () =>
  Arg('path', () => String, { defaultValue: '', description: 'What stands behind it.' });
