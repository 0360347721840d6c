import { Arg } from 'type-graphql';

/** Argument of URL fields: a suffix that is appended to the URL. */
export const PathSuffixArg = () =>
  Arg('path', () => String, { defaultValue: '', description: 'Suffix appended to the URL.' });
