import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { pageOf } from '../vocabulary/page.ts';
import { Instant } from '../vocabulary/scalars.ts';

export const SortDirection = { ASC: 'asc', DESC: 'desc' } as const;
export type SortDirectionName = (typeof SortDirection)[keyof typeof SortDirection];
registerEnumType(SortDirection, { name: 'SortDirection', description: 'Least first, or most first.' });

const counts = {
  TOTAL_REQUEST_COUNT: 'total_request_count',
  RATE_LIMITED_REQUEST_COUNT: 'rate_limited_request_count',
  LAST_REQUEST_TIMESTAMP: 'last_request_timestamp',
  LAST_RATE_LIMITED_TIMESTAMP: 'last_rate_limited_timestamp',
} as const;
export type SortDirection = (typeof SortDirection)[keyof typeof SortDirection];

export const ApiRouteSort = { ...counts, HTTP_METHOD: 'http_method', API_ROUTE: 'api_route' } as const;
export type ApiRouteSortName = (typeof ApiRouteSort)[keyof typeof ApiRouteSort];
registerEnumType(ApiRouteSort, { name: 'ApiRouteSort', description: 'What routes are put in order by.' });

export const ApiCallerSort = { ...counts, SUBJECT_NAME: 'subject_name' } as const;
export type ApiCallerSortName = (typeof ApiCallerSort)[keyof typeof ApiCallerSort];
registerEnumType(ApiCallerSort, {
  name: 'ApiCallerSort',
  description: 'What callers are put in order by. SUBJECT_NAME is their name.',
});

@ObjectType({ description: 'How many requests there were.', simpleResolvers: true })
export class ApiCounts {
  @Computed(() => GraphQLSafeInt, 'Requests that were answered, those that a limit refused among them.')
  totalRequestCount!: number;

  @Computed(() => GraphQLSafeInt, 'Requests that a rate limit refused.')
  rateLimitedRequestCount!: number;
}

@ObjectType({ description: 'How many requests there were in one span of time.', simpleResolvers: true })
export class ApiTimeBucket extends ApiCounts {
  @Computed(() => Instant, 'When the span begins.')
  timestamp!: Date;
}

/** Counts with the last times. Published nowhere by itself. */
@ObjectType({ description: 'Requests, and when the last ones came.', simpleResolvers: true })
class ApiUsage extends ApiCounts {
  @Computed(() => Instant, 'When the last request came.')
  lastRequestTimestamp!: string;

  @Computed(() => Instant, 'When the last request was refused by a rate limit; null where none was.', { null: true })
  lastRateLimitedTimestamp!: string | null;
}

@ObjectType({ description: 'Requests to one route.', simpleResolvers: true })
export class ApiRouteUsage extends ApiUsage {
  @Computed(() => String, 'Method of HTTP.')
  httpMethod!: string;

  @Computed(() => String, 'The path with the names of what varies: `/repositories/:repository_id`.')
  apiRoute!: string;
}

@ObjectType({
  description: 'Requests of one user, one installation of an app, or workflows of one repository.',
  simpleResolvers: true,
})
export class ApiSubjectUsage extends ApiUsage {
  @Computed(() => String, '`user`, `installation` or `workflow`.')
  subjectType!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the user, the installation, or the repository of the workflow.')
  subjectId!: number;

  @Computed(() => String, 'Login of the user, name of the app, or owner and name of the repository.')
  subjectName!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the app; null where the subject is none.', { null: true })
  integrationId!: number | null;
}

@ObjectType({ description: 'Requests by one token or through one app.', simpleResolvers: true })
export class ApiActorUsage extends ApiUsage {
  @Computed(
    () => String,
    '`installation`, `classic_pat`, `fine_grained_pat`, `oauth_app`, `<brand>_app_user_to_server` or `workflow`.',
  )
  actorType!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the token, the app, the OAuth app or the installation.')
  actorId!: number;

  @Computed(() => String, 'What the token is called, or the name of the app.')
  actorName!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the app; null where it was none.', { null: true })
  integrationId!: number | null;

  @Computed(() => GraphQLSafeInt, 'Number of the OAuth app; null where it was none.', { null: true })
  oauthApplicationId!: number | null;
}

export const ApiRoutePage = pageOf('ApiRoutePage', () => ApiRouteUsage, 'A page of routes.');
export const ApiSubjectPage = pageOf('ApiSubjectPage', () => ApiSubjectUsage, 'A page of subjects.');
export const ApiActorPage = pageOf('ApiActorPage', () => ApiActorUsage, 'A page of actors.');

@ObjectType({ description: 'What was asked of an organization through the API within a time.', simpleResolvers: true })
export class ApiInsights {
  @Computed(() => Instant, 'When the time begins. A minute that lies in it in part counts whole.')
  minTimestamp!: Date;

  @Computed(() => Instant, 'When the time ends.')
  maxTimestamp!: Date;
}
