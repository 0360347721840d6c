import { type Operation, ProblemError, type RenderedBody, type RestContext } from 'operation-rest';
import { documentOf } from '../document.tsx';
import { health } from '../health/health.ts';
import { healthAssessments } from '../health/health-assessments.ts';
import { healthGoals } from '../health/health-goals.ts';
import { healthSymptoms } from '../health/health-symptoms.ts';
import { healthVitals } from '../health/health-vitals.ts';
import { liveHeaders } from '../live.tsx';
import { visitorOf } from '../visitor.ts';
import { organizationApiUsage } from './api-usage.ts';
import { csvOf } from './csv.ts';
import { type DashboardOf, DashboardPage } from './dashboard.tsx';
import { appDeliveries, organizationDeliveries, repositoryDeliveries } from './deliveries.ts';
import { explorerQuery } from './explorer-query.ts';
import { organizationImports } from './imports.ts';
import { organizationRuleSuites, repositoryRuleSuites } from './rule-suites.ts';
import { serviceDashboard, serviceFeeds, serviceHealth } from './service.ts';

/** The dashboard of each operation. */
const dashboards: Readonly<Record<string, DashboardOf<never>>> = {
  ApiUsagePage: organizationApiUsage,
  AppDeliveriesPage: appDeliveries,
  HealthAssessmentsPage: healthAssessments,
  HealthGoalsPage: healthGoals,
  HealthPage: health,
  HealthSymptomsPage: healthSymptoms,
  HealthVitalsPage: healthVitals,
  OrganizationDeliveriesPage: organizationDeliveries,
  OrganizationImportsPage: organizationImports,
  OrganizationRuleSuitesPage: organizationRuleSuites,
  RepositoryDeliveriesPage: repositoryDeliveries,
  RepositoryRuleSuitesPage: repositoryRuleSuites,
  ServiceDashboardPage: serviceDashboard,
  ServiceFeedsPage: serviceFeeds,
  ServiceHealthPage: serviceHealth,
};

/**
 * The document of a dashboard; with `format=csv` one of its tables, the first unless `table` names another.
 *
 * @returns undefined if the operation is of no dashboard
 */
export function renderDashboard(
  operation: Operation,
  body: unknown,
  { target, context, now }: Pick<RestContext, 'target' | 'context' | 'now'>,
): RenderedBody | undefined {
  const dashboardOf = dashboards[operation.name];
  if (!dashboardOf) return undefined;
  const query = new URLSearchParams(target.search);
  const dashboard = dashboardOf(body as never, query, now);
  if (query.get('format') !== 'csv') {
    const explorer = explorerQuery(operation, dashboard.variables);
    const page = <DashboardPage dashboard={dashboard} explorer={explorer} />;
    return { text: documentOf(page, visitorOf(context)), headers: liveHeaders(dashboard.isLive === true) };
  }
  const tables = dashboard.sections.map(({ table }) => table);
  const wanted = query.get('table') ?? tables[0]?.name;
  const table = tables.find(({ name }) => name === wanted);
  if (!table) throw new ProblemError({ kind: 'not-found', reason: 'parameter' });
  const name = `${dashboard.owner.name}-${table.name}`.replace(/[^\w.-]/g, '-');
  const headers = { 'Content-Disposition': `attachment; filename="${name}.csv"` };
  return { text: csvOf(table), type: 'text/csv; charset=utf-8; header=present', headers };
}
