import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { compareGraphs, type GraphComparison } from './graph-comparison.ts';

/**
 * Compares `schema/schema.graphql` with GitHub's public schema, whose clients must work on the hosting half:
 * `npm run compare-graph`. `test/graph/github-compatibility.test.ts` does the same with the built schema.
 */
const root = join(import.meta.dirname, '..');

/** Parts of names of GitHub's types that are no part of code hosting as it is meant here; those types do not count in the share. */
const otherSubjects = new RegExp(
  `Issue PullRequest Project Discussion Sponsor Enterprise Gist Marketplace Security Vulnerab CVSS CWE EPSS Check
    Deploy Environment Migration Package Milestone Label Release Reaction Copilot Depend Workflow Audit IpAllow
    Verifiable IdentityProvider Saml Scim Mannequin MergeQueue Contribution Showcase Pinn SavedReply Minimiz Lock
    Assign Event Review Hovercard Draft Iteration Comment Domain Notification Feature Import Secret Codespace
    Tracked Autom Dismiss Suggest Closed Mentioned`
    .split(/\s+/)
    .join('|'),
);

/** Compares a schema with that of the package `@octokit/graphql-schema`. */
export function compareWithGithub(ours: GraphQLSchema, health: ReadonlySet<string>): GraphComparison {
  const text = readFileSync(join(root, 'node_modules/@octokit/graphql-schema/schema.graphql'), 'utf8');
  // The published text repeats a field, which is not valid.
  const theirs = buildSchema(text, { assumeValid: true, assumeValidSDL: true });
  return compareGraphs(ours, theirs, { unrelated: health, counts: type => !otherSubjects.test(type) });
}

/** The share of names in both schemas, in two lines. */
export function printShare({ types, fields }: GraphComparison['share']): string {
  const line = (name: string, { both, ours, theirs }: typeof types): string =>
    `${name}: ${both} of our ${ours} (${percent(both, ours)}), ${both} of GitHub's ${theirs} of code hosting (${percent(both, theirs)})`;
  return `${line('Types', types)}\n${line('Fields', fields)}`;
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}

if (import.meta.main) {
  const ours = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));
  const { incompatible, notes, share } = compareWithGithub(ours, new Set());
  console.log(`Incompatible: ${incompatible.length}\n${incompatible.map(line => `  ${line}`).join('\n')}`);
  console.log(`Compatible, but different: ${notes.length}\n${notes.map(line => `  ${line}`).join('\n')}`);
  console.log(printShare(share));
  if (incompatible.length > 0) process.exitCode = 1;
}
