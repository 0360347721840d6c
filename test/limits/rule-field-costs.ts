import { compass, type FieldCase } from './field-cost-table.ts';

/** Worst cases of rulesets, rule suites and their outcomes. */
export function ruleFieldCases(): FieldCase[] {
  return [
    {
      field: 'Organization.ruleSuites',
      as: 'wren',
      document:
        '{ organization(login: "harbor-lab") { ruleSuites(first: 100, period: MONTH, repositoryName: "compass", actorLogin: "wren") { nodes { databaseId } totalCount } } }',
      units: 23,
    },
    {
      field: 'Organization.rulesets',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { rulesets(first: 100) { nodes { databaseId } } } }',
      units: 3,
    },
    {
      field: 'Organization.ruleset',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { ruleset(databaseId: 1) { name } } }',
      units: 3,
    },
    {
      field: 'Organization.ruleSuite',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { ruleSuite(databaseId: 1) { ref } } }',
      units: 3,
    },
    {
      field: 'Organization.ruleOutcomes',
      as: 'wren',
      document: '{ organization(login: "harbor-lab") { ruleOutcomes(period: MONTH) { ruleType failCount } } }',
      units: 9,
    },
    {
      field: 'Repository.ruleSuites',
      as: 'wren',
      document: `{ repository(${compass}) { ruleSuites(first: 100, ref: "main") { nodes { databaseId } totalCount } } }`,
      units: 13,
    },
    {
      field: 'Repository.ruleSuite',
      as: 'wren',
      document: `{ repository(${compass}) { ruleSuite(databaseId: 1) { ref } } }`,
      units: 3,
    },
    {
      field: 'Repository.ruleOutcomes',
      as: 'wren',
      document: `{ repository(${compass}) { ruleOutcomes(period: MONTH) { ruleType passCount } } }`,
      units: 9,
    },
    {
      field: 'Repository.ruleset',
      as: 'wren',
      document: `{ repository(${compass}) { ruleset(databaseId: 1) { name } } }`,
      units: 2,
    },
    {
      field: 'Repository.branchRules',
      as: 'wren',
      document: `{ repository(${compass}) { branchRules(branch: "main", first: 100) { nodes { type } } } }`,
      units: 2,
    },
    {
      field: 'RepositoryRuleset.rules',
      as: 'wren',
      document: `{ repository(${compass}) { rulesets(first: 5) { nodes { rules(first: 50) { nodes { type } } } } } }`,
      units: 2,
    },
    {
      field: 'RepositoryRuleset.bypassActors',
      as: 'wren',
      document: `{ repository(${compass}) { rulesets(first: 5) { nodes { bypassActors(first: 50) { nodes { bypassMode } } } } } }`,
      units: 2,
    },
    {
      field: 'Repository.branchProtectionRule',
      as: 'wren',
      document: `{ repository(${compass}) { branchProtectionRule(branch: "main") { pattern } } }`,
      units: 2,
    },
    {
      field: 'Repository.branchProtectionRules',
      as: 'wren',
      document: `{ repository(${compass}) { branchProtectionRules(first: 100) { nodes { pattern } } } }`,
      units: 2,
    },
    {
      field: 'BranchActors.users',
      as: 'wren',
      document: `{ repository(${compass}) { branchProtectionRule(branch: "main") { reviewPolicy { dismissalActors {
        users(first: 100) { nodes { login } } } } } } }`,
      units: 3,
    },
    {
      field: 'BranchActors.apps',
      as: 'wren',
      document: `{ repository(${compass}) { branchProtectionRule(branch: "main") { reviewPolicy { dismissalActors {
        apps(first: 100) { nodes { slug } } } } } } }`,
      units: 3,
    },
    {
      field: 'Ref.requiredChecks',
      as: 'wren',
      document: `{ repository(${compass}) { ref(qualifiedName: "main") { requiredChecks { contexts } } } }`,
      units: 2,
    },
    {
      field: 'Repository.rulesets',
      as: 'wren',
      document: `{ repository(${compass}) { rulesets(first: 100) { nodes { databaseId } } } }`,
      units: 2,
    },
  ];
}
