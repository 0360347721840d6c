import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { DateTime } from '../vocabulary/scalars.ts';

/** HTTP methods of the API. */
export const HttpMethod = {
  DELETE: 'DELETE',
  GET: 'GET',
  HEAD: 'HEAD',
  PATCH: 'PATCH',
  POST: 'POST',
  PUT: 'PUT',
} as const;
export type HttpMethod = (typeof HttpMethod)[keyof typeof HttpMethod];
registerEnumType(HttpMethod, { name: 'HttpMethod', description: 'HTTP method of a request.' });

export const ApiSubjectType = { USER: 'user', INSTALLATION: 'installation', WORKFLOW: 'workflow' } as const;
export type ApiSubjectType = (typeof ApiSubjectType)[keyof typeof ApiSubjectType];
registerEnumType(ApiSubjectType, { name: 'ApiSubjectType', description: 'Kind of a subject of API usage.' });

export const ApiActorType = {
  INSTALLATION: 'installation',
  CLASSIC_TOKEN: 'classic_pat',
  FINE_GRAINED_TOKEN: 'fine_grained_pat',
  OAUTH_APP: 'oauth_app',
  USER_TO_SERVER: 'user_to_server',
  WORKFLOW: 'workflow',
} as const;
export type ApiActorType = (typeof ApiActorType)[keyof typeof ApiActorType];
registerEnumType(ApiActorType, {
  name: 'ApiActorType',
  description: 'Kind of a credential that requests are counted for.',
  valuesConfig: {
    OAUTH_APP: { description: 'Token of an OAuth app for a user.' },
    USER_TO_SERVER: { description: 'Token of an app for a user.' },
    INSTALLATION: { description: 'Token of an installation of an app.' },
    WORKFLOW: { description: 'Token of a workflow.' },
  },
});

const counts = {
  TOTAL_REQUEST_COUNT: 'total_request_count',
  RATE_LIMITED_REQUEST_COUNT: 'rate_limited_request_count',
  LAST_REQUEST_TIMESTAMP: 'last_request_timestamp',
  LAST_RATE_LIMITED_TIMESTAMP: 'last_rate_limited_timestamp',
} as const;

export const ApiRouteSort = { ...counts, HTTP_METHOD: 'http_method', API_ROUTE: 'api_route' } as const;
export type ApiRouteSortName = (typeof ApiRouteSort)[keyof typeof ApiRouteSort];
registerEnumType(ApiRouteSort, { name: 'ApiRouteSort', description: 'Sort key of routes.' });

export const ApiCallerSort = { ...counts, SUBJECT_NAME: 'subject_name' } as const;
export type ApiCallerSortName = (typeof ApiCallerSort)[keyof typeof ApiCallerSort];
registerEnumType(ApiCallerSort, {
  name: 'ApiCallerSort',
  description: 'Sort key of subjects and actors; `SUBJECT_NAME` is their name.',
});

@ObjectType({ description: 'Numbers of requests.', simpleResolvers: true })
export class ApiCounts {
  @Computed(() => GraphQLSafeInt, 'Number of requests, including rate-limited ones.')
  requestCount!: number;

  @Computed(() => GraphQLSafeInt, 'Number of rate-limited requests.')
  limitedCount!: number;
}

@ObjectType({ description: 'Numbers of requests in one time bucket.', simpleResolvers: true })
export class ApiTimeBucket extends ApiCounts {
  @Computed(() => DateTime, 'Start of the bucket.')
  startsAt!: Date;
}

/** Base of the usage types. */
@ObjectType({ description: 'Numbers and last times of requests.', simpleResolvers: true })
class ApiUsage extends ApiCounts {
  @Computed(() => DateTime, 'Time of the last request.')
  lastRequestAt!: string;

  @Computed(() => DateTime, 'Time of the last rate-limited request; null for none.', { null: true })
  lastLimitedAt!: string | null;
}

@ObjectType({ description: 'Usage of one route.', simpleResolvers: true })
export class ApiRouteUsage extends ApiUsage {
  @Computed(() => HttpMethod, 'HTTP method of the route.')
  method!: HttpMethod;

  @Computed(() => String, 'Path pattern: `/repositories/:repository_id`.')
  route!: string;
}

@ObjectType({
  description: 'Usage by one user, one installation of an app, or the workflows of one repository.',
  simpleResolvers: true,
})
export class ApiSubjectUsage extends ApiUsage {
  @Computed(() => ApiSubjectType, 'Type of the subject.')
  type!: ApiSubjectType;

  @Computed(() => GraphQLSafeInt, 'Number of the user, the installation, or the repository of the workflow.')
  subjectId!: number;

  @Computed(() => String, 'Login of the user, name of the app, or owner and name of the repository.')
  subjectName!: string;

  @Computed(() => GraphQLSafeInt, "Number of the app; null where the subject is not an app's installation.", {
    null: true,
  })
  integrationId!: number | null;
}

@ObjectType({ description: 'Usage by one token or one app.', simpleResolvers: true })
export class ApiActorUsage extends ApiUsage {
  @Computed(() => ApiActorType, 'Type of the actor.')
  type!: ApiActorType;

  @Computed(() => GraphQLSafeInt, 'Number of the token, the app, the OAuth app or the installation.')
  actorId!: number;

  @Computed(() => String, 'Name of the token or of the app.')
  actorName!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the app; null where the actor is not an app.', { null: true })
  integrationId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Number of the OAuth app; null where the actor is not an OAuth app.', { null: true })
  oauthApplicationId!: number | null;
}

export const ApiRouteUsageConnection = connectionOf('ApiRouteUsage', () => ApiRouteUsage, 'routes');
export const ApiSubjectUsageConnection = connectionOf('ApiSubjectUsage', () => ApiSubjectUsage, 'subjects');
export const ApiActorUsageConnection = connectionOf('ApiActorUsage', () => ApiActorUsage, 'actors');

@ObjectType({ description: 'API usage of an organization within a period.', simpleResolvers: true })
export class ApiInsights {
  @Computed(() => DateTime, 'Start of the period. A partial minute counts as a whole one.')
  from!: Date;

  @Computed(() => DateTime, 'End of the period.')
  to!: Date;
}
