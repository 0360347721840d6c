import { createRequire } from 'node:module';
import type * as Applicator from 'graphql-middleware/applicator';
import type * as GraphqlShield from 'graphql-shield';

/**
 * graphql-shield 7.6.5 does not load as ESM on Node.js ≥ 23: it imports `util.isUndefined`, which was removed. Its CommonJS build
 * loads and uses that function only in `chain` and `race`, which are not exported here. graphql-middleware must have the same module
 * format, else it does not recognize shield's generator.
 */
const require = createRequire(import.meta.url);
export const { shield, rule, and, or, allow, deny } = require('graphql-shield') as typeof GraphqlShield;
export const { generateResolverFromSchemaAndMiddleware } =
  require('graphql-middleware/applicator') as typeof Applicator;

/** A rule, or rules joined by `and` and `or`. */
export type ShieldRule = Parameters<typeof and>[number];
