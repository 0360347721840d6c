import { compass, deep, type FieldCase } from './field-cost-table.ts';

const onHead = (repository: string, below: string): string =>
  `{ repository(${repository}) { object(expression: "HEAD") { oid ... on Commit { ${below} } } } }`;

const onCompass = (below: string): string => `{ repository(${compass}) { ${below} } }`;

/** A field below `Repository`, measured in the demo repository. */
const atCompass = (field: string, below: string, units: number): FieldCase => ({
  field: `Repository.${field}`,
  as: 'wren',
  document: onCompass(below),
  units,
});

const none = '"abababababababababababababababababababab"';

/** Fields of git data below `Repository`. */
export function gitFieldCases(): FieldCase[] {
  return [
    {
      field: 'Repository.refs',
      as: 'wren',
      document: `{ repository(${compass}) { refs(refPrefix: "refs/heads/", first: 100) { nodes { name target { oid } } totalCount } } }`,
      units: 2,
    },
    { field: 'Repository.object', as: 'wren', document: onHead(compass, 'message'), units: 2 },
    atCompass('commit', 'commit(revision: "main") { message }', 6),
    atCompass('commits', 'commits(first: 100) { nodes { message } }', 6),
    atCompass('branches', 'branches(first: 100) { nodes { name } totalCount }', 2),
    atCompass('branchesWithHead', `branchesWithHead(oid: ${none}) { nodes { name } }`, 2),
    atCompass('gitCommit', `gitCommit(oid: ${none}) { message }`, 2),
    atCompass('gitTag', `gitTag(oid: ${none}) { message }`, 2),
    atCompass('gitTree', 'gitTree(revision: "main") { oid }', 2),
    atCompass('gitRef', 'gitRef(name: "heads/main") { fullName }', 2),
    { ...atCompass('ref', 'ref(qualifiedName: "main") { isProtected }', 2), field: 'Ref.isProtected' },
    {
      ...atCompass('refs', 'refs(refPrefix: "refs/", first: 1) { nodes { peeledTarget { oid } } }', 3),
      field: 'Ref.peeledTarget',
    },
    { field: 'Commit.verification', as: 'wren', document: onHead(compass, 'verification { state }'), units: 3 },
    atCompass('location', 'location(refAndPath: "main") { ref path }', 2),
    atCompass('archiveLink', 'archiveLink { url }', 2),
    { field: 'Commit.parents', as: 'wren', document: onHead(compass, 'parents { nodes { message } }'), units: 2 },
    { field: 'Commit.signature', as: 'wren', document: onHead(compass, 'signature { state }'), units: 3 },
    {
      field: 'Commit.history',
      as: 'wren',
      document: onHead(deep, 'history(first: 100) { nodes { message } }'),
      units: 7,
      cold: true,
    },
    {
      field: 'Commit.history',
      as: 'wren',
      document: onHead(deep, 'history(first: 1, path: "old/README.md") { nodes { message } }'),
      units: 107,
      cold: true,
    },
  ];
}
