import { GraphQLSafeInt } from 'graphql-scalars';
import { Float, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { ApiActorType, HttpMethod } from './api-insights.ts';
import { RepositoryRuleType, type RepositoryRuleTypeValue } from './rule.ts';
import { SourceImportStatus, type SourceImportStatusValue } from './source-import.ts';

export const InsightStep = { HOUR: 'hour', DAY: 'day' } as const;
export type InsightStep = (typeof InsightStep)[keyof typeof InsightStep];
registerEnumType(InsightStep, { name: 'InsightStep', description: 'Length of a step of a time series, in UTC.' });

export const DeliveryAnswer = {
  SUCCESS: 'success',
  CLIENT_ERROR: 'client_error',
  SERVER_ERROR: 'server_error',
  NO_RESPONSE: 'no_response',
} as const;
export type DeliveryAnswer = (typeof DeliveryAnswer)[keyof typeof DeliveryAnswer];
registerEnumType(DeliveryAnswer, {
  name: 'DeliveryAnswer',
  description: 'Answer to a delivery: a status below 400, from 400 to 499, from 500 on, or none.',
});

/** Base of the counts of API requests. */
@ObjectType({ description: 'Numbers of requests by the status of their responses.', simpleResolvers: true })
class ApiStatusCounts {
  @Computed(() => GraphQLSafeInt, 'Number of requests, including all others of these counts.')
  requestCount!: number;

  @Computed(() => GraphQLSafeInt, 'Number of rate-limited requests.')
  limitedCount!: number;

  @Computed(
    () => GraphQLSafeInt,
    'Number of requests answered with a status from 400 to 499, without rate-limited ones.',
  )
  clientErrorCount!: number;

  @Computed(() => GraphQLSafeInt, 'Number of requests answered with a status from 500 on.')
  serverErrorCount!: number;
}

@ObjectType({ description: 'Numbers of requests in one step.', simpleResolvers: true })
export class ApiStepCounts extends ApiStatusCounts {
  @Computed(() => DateTime, 'Start of the step.')
  startsAt!: string;
}

@ObjectType({ description: 'Numbers of requests to one route.', simpleResolvers: true })
export class ApiRouteCounts extends ApiStatusCounts {
  @Computed(() => HttpMethod, 'HTTP method of the route.')
  method!: HttpMethod;

  @Computed(() => String, 'Path pattern: `/repositories/:repository_id`.')
  route!: string;
}

@ObjectType({ description: 'Numbers of requests with one kind of credential.', simpleResolvers: true })
export class ApiActorTypeCounts extends ApiStatusCounts {
  @Computed(() => ApiActorType, 'Kind of the credential.')
  actorType!: ApiActorType;
}

@ObjectType({ description: 'Numbers of requests that address one organization.', simpleResolvers: true })
export class ApiOrganizationCounts extends ApiStatusCounts {
  @Computed(() => String, 'Login of the organization.')
  organizationLogin!: string;
}

@ObjectType({ description: 'Results of one type of rules on one day.', simpleResolvers: true })
export class RuleDayCounts {
  @Computed(() => DateTime, 'Start of the day, UTC.')
  startsAt!: string;

  @Computed(() => RepositoryRuleType, 'Type of the rules.')
  ruleType!: RepositoryRuleTypeValue;

  @Computed(() => GraphQLSafeInt, 'Number of refs that followed a rule.')
  passCount!: number;

  @Computed(() => GraphQLSafeInt, 'Number of refs that violated a rule, without those of `bypassCount`.')
  failCount!: number;

  @Computed(() => GraphQLSafeInt, 'Number of refs that violated a rule while it was active, pushed with a bypass.')
  bypassCount!: number;
}

@ObjectType({ description: 'Deliveries of webhooks in one step, by answer.', simpleResolvers: true })
export class DeliveryStepCounts {
  @Computed(() => DateTime, 'Start of the step.')
  startsAt!: string;

  @Computed(() => DeliveryAnswer, 'Answer of the receivers.')
  answer!: DeliveryAnswer;

  @Computed(() => GraphQLSafeInt, 'Number of deliveries.')
  deliveryCount!: number;

  @Computed(() => GraphQLSafeInt, 'Number of deliveries that took a second or longer.')
  slowCount!: number;

  @Computed(() => Float, 'Average duration in seconds.')
  averageDuration!: number;
}

@ObjectType({ description: 'Source imports in one state.', simpleResolvers: true })
export class SourceImportCounts {
  @Computed(() => SourceImportStatus, 'State that the imports are in.')
  status!: SourceImportStatusValue;

  @Computed(() => GraphQLSafeInt, 'Number of imports.')
  importCount!: number;
}

@ObjectType({
  description:
    'Counts of code hosting across all accounts, for service credentials. They name organizations and no person, repository, ruleset or URL.',
  simpleResolvers: true,
})
export class HostingInsights {
  @Computed(() => DateTime, 'Start of the period: of a day in UTC.')
  from!: Date;

  @Computed(() => DateTime, 'End of the period: now.')
  to!: Date;
}
