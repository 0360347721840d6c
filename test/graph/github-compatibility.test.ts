import { expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { compareWithGithub, printShare } from '../../scripts/compare-graph.ts';
import { compareGraphs } from '../../scripts/graph-comparison.ts';
import { healthTypes, publicSchema } from './public-schema.ts';

test('an operation written for GitHub is valid as far as the names exist', () => {
  const { incompatible, share } = compareWithGithub(publicSchema, healthTypes());
  process.stdout.write(`${printShare(share)}\n`);
  expect(incompatible).toEqual([]);
});

test('the comparison finds differences that break an operation', () => {
  const ours = buildSchema(`
    type Query { same(first: Int! = 20, own: Int): String! list: [Ref!] named: Int looser: String needs(id: ID!): Ref takes: Ref }
    type Ref { id: ID! }
    type Sort { by: Int }
    scalar Actor
    type Topic { id: ID! }
    input Star { id: ID! extra: Int! note: Int }
    enum Kind { A C }
  `);
  const theirs = buildSchema(`
    type Query { same(first: Int, other: Int): String list: Ref named: ID looser: String! needs(id: ID): Ref takes(id: ID!): Ref }
    type Ref { id: ID! other: Int }
    input Sort { by: Int }
    interface Actor { login: String }
    type Topic { id: ID! }
    input Star { id: ID! note: String }
    enum Kind { A B }
  `);
  expect(compareGraphs(ours, theirs, { unrelated: new Set(['Topic']), counts: name => name !== 'Kind' })).toEqual({
    incompatible: [
      'Actor: scalar instead of interface',
      'Query.list: [Ref!] instead of Ref',
      'Query.named: Int instead of ID',
      'Query.needs(id): ID! is required, ID is not',
      'Query.takes(id): absent here, required there',
      'Sort: object instead of input',
      'Star.extra: required here, absent there',
      'Star.note: Int instead of String',
      'Topic: name of something else',
    ],
    notes: [
      'Kind: adds C',
      'Kind: lacks B',
      'Query.looser: String is nullable, String! is not',
      'Query.same(first): Int! takes no null, Int does',
      'Query.same(other): absent here',
    ],
    share: { types: { both: 6, ours: 7, theirs: 6 }, fields: { both: 11, ours: 12, theirs: 13 } },
  });
});
