import { expect, test } from '@jest/globals';
import { type GraphQLType, getNamedType, getNullableType, isInterfaceType, isListType, isObjectType } from 'graphql';
import { publicSchema } from './public-schema.ts';
import { elementsOf } from './schema-elements.ts';

const connectionFields = ['nodes', 'edges', 'pageInfo', 'totalCount'];

const wholeExport = 'The export is one document that is read as a whole; its cost covers all of it.';

/** Lists of nouns without pages, and the reason why they cannot grow. */
const boundedLists: Record<string, string> = {
  'Query.nodes': 'One object for each id of the caller, at most 100.',
  'AddEmailsPayload.emails': 'One object for each address of the input, at most 20.',
  'Query.articleCategories': 'The query reads at most 100.',
  'Article.categories': 'An import stores at most 20.',
  'Article.related': 'The query reads at most three.',
  'Article.revisions': 'The query reads at most 20.',
  'RecommendedArticle.categories': 'An import stores at most 20.',
  'CompanionHistory.messages': 'The query reads at most 500.',
  'HealthDashboard.activeGoals': 'The query reads at most 100.',
  'HealthDashboard.recentSymptoms': 'The query reads at most 10.',
  'CommitComparison.commits': 'A page of at most 250.',
  'Person.assessmentPage': 'A page of at most 100, or the newest 200.',
  'HealthDataExport.assessments': wholeExport,
  'HealthDataExport.companionMessages': wholeExport,
  'HealthDataExport.goals': wholeExport,
  'HealthDataExport.symptomLogs': wholeExport,
  'HealthDataExport.vitalReadings': wholeExport,
};

/** Fields of a data export, which is one document. */
const partOfExport = /^MyData\.|DataExport\./;

test('a connection has nodes, edges, pageInfo and totalCount', () => {
  const types = Object.values(publicSchema.getTypeMap()).filter(isObjectType);
  const found = types
    .filter(({ name }) => name.endsWith('Connection'))
    .flatMap(type =>
      connectionFields.filter(field => !(field in type.getFields())).map(field => `${type.name}.${field}`),
    );
  expect(found).toEqual([]);
});

test('a list of nouns is a connection', () => {
  const found = elementsOf(publicSchema).filter(
    ({ name, type, isArgument }) =>
      type &&
      !isArgument &&
      isListOfNodes(type) &&
      !/Connection\.nodes$/.test(name) &&
      !(name in boundedLists) &&
      !partOfExport.test(name),
  );
  expect(found.map(({ name }) => name)).toEqual([]);
});

function isListOfNodes(type: GraphQLType): boolean {
  const item = getNamedType(type);
  const isNode =
    item.name === 'Node' ||
    ((isObjectType(item) || isInterfaceType(item)) && item.getInterfaces().some(({ name }) => name === 'Node'));
  return isNode && isListType(getNullableType(type));
}
