import { compass, deep, type FieldCase } from './field-cost-table.ts';

const onHead = (repository: string, below: string): string =>
  `{ repository(${repository}) { object(expression: "HEAD") { oid ... on Commit { ${below} } } } }`;

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
