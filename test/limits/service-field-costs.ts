import type { FieldCase } from './field-cost-table.ts';

/** Counts of the whole installation, over the longest period. */
export function serviceFieldCases(): FieldCase[] {
  const hosting = (field: string, below: string): FieldCase => ({
    field: `HostingInsights.${field.replace(/\(.*/, '')}`,
    as: 'service',
    document: `{ hostingInsights(days: 90) { ${field} { ${below} } } }`,
    units: 11,
  });
  const health = (field: string, below: string, units = 2): FieldCase => ({
    field: `HealthInsights.${field}`,
    as: 'service',
    document: `{ healthInsights(days: 90) { ${field} { ${below} } } }`,
    units,
  });
  return [
    { field: 'Query.hostingInsights', as: 'service', document: '{ hostingInsights(days: 90) { from } }', units: 1 },
    {
      field: 'Query.healthInsights',
      as: 'service',
      document: '{ healthInsights(days: 90) { countedUntil } }',
      units: 1,
    },
    {
      field: 'Query.articleFeeds',
      as: 'service',
      document: '{ articleFeeds { number runs { startedAt } } }',
      units: 1,
    },
    hosting('apiRequests(step: DAY)', 'startsAt requestCount'),
    hosting('apiRoutes', 'method route requestCount'),
    hosting('apiActorTypes', 'actorType requestCount'),
    { ...hosting('apiOrganizations', 'organizationLogin requestCount'), units: 21 },
    hosting('ruleResults', 'startsAt ruleType passCount'),
    hosting('webhookDeliveries(step: DAY)', 'startsAt answer deliveryCount'),
    { ...hosting('sourceImports', 'status importCount'), units: 2 },
    health('articleViews', 'day categorySlug viewCount', 3),
    health('registrations', 'day accountCount'),
    health('companionAnswers', 'day level answerCount'),
    health('assessments', 'day triageLevel assessmentCount'),
  ];
}
