import { numberedNode } from '../../context/node-kind.ts';
import { suitesByIds } from './rule-suites.queries.ts';

/** Suites of repositories and organizations that the caller administers. The query decides, because either suffices. */
export const ruleSuiteNode = numberedNode({
  type: 'RuleSuite',
  access: 'metadata:read',
  load: suitesByIds,
});
