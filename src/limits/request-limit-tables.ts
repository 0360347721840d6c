const minute = 60;
const hour = 60 * minute;

/** Primary limits: requests per hour by caller; `CallerQuotas` selects the row. */
export const hourlyLimits = {
  /** Of one IP address. Also of a session of the health API, which has no rights in the hosting API. */
  anonymous: 60,
  /** Of all tokens of a user together, and of apps that act for the user. */
  user: 5_000,
  /** With the plan `enterprise`. */
  enterprise: 15_000,
  workflow: 1_000,
  /** Minimum and maximum of an installation, and the addition for each repository or member beyond the included ones. */
  installation: { min: 5_000, max: 12_500, perExtra: 50, included: 20 },
} as const;

/** Requests per hour of an installation with this number of repositories in an organization with this number of members. */
export function installationHourlyLimit(repositories: number, people: number): number {
  const { min, max, perExtra, included } = hourlyLimits.installation;
  const more = Math.max(0, repositories - included) + Math.max(0, people - included);
  return Math.min(max, min + perExtra * more);
}

/** Secondary limits of one caller. */
export const secondaryLimits = {
  /** Concurrent requests. A slot that is not renewed expires after `seconds`. */
  concurrent: { limit: 100, seconds: 60 },
  /** Points of one REST endpoint. */
  endpointPoints: { limit: 900, seconds: minute },
  graphqlPoints: { limit: 2_000, seconds: minute },
  content: [
    { limit: 80, seconds: minute },
    { limit: 500, seconds: hour },
  ],
} as const;

/** An anonymous IP address, a person of the health API, or a credential of the hosting API. */
export type CallerClass = 'address' | 'person' | 'credential';

/**
 * Usage of one caller per minute: microseconds of CPU and database time, bytes sent. Checked before a request and charged after
 * it, so that one request can exceed it.
 *
 * The CPU limit of a credential is published. 60 s of database time are one statement running all the time. 1 GB per minute is
 * 130 Mbit/s, more than a client on the Internet reads; pictures and archives of 20 MB stay far below. An IP address, with 60
 * requests per minute, has about a fifth: an ordinary request takes 10 ms.
 */
export const usageLimits = {
  cpu: { address: 20_000_000, person: 30_000_000, credential: 90_000_000 },
  graphqlCpu: { address: 15_000_000, person: 20_000_000, credential: 60_000_000 },
  database: { address: 15_000_000, person: 20_000_000, credential: 60_000_000 },
  bytes: { address: 200_000_000, person: 300_000_000, credential: 1_000_000_000 },
  seconds: minute,
} as const;

/** GraphQL points per minute of callers without a hosting credential: as many as their REST requests. */
export const healthGraphqlLimits = {
  anonymous: { limit: 60, seconds: minute },
  person: { limit: 600, seconds: minute },
};

interface ResourceLimit {
  /** Undefined: the hourly limit of the caller. */
  limit?: number;
  anonymous: number;
  seconds: number;
}

/** Resources with separate primary windows, in the published order. */
export const resourceLimits = {
  core: { anonymous: hourlyLimits.anonymous, seconds: hour },
  search: { limit: 30, anonymous: 10, seconds: minute },
  graphql: { anonymous: hourlyLimits.anonymous, seconds: hour },
  integration_manifest: { limit: 5_000, anonymous: hourlyLimits.anonymous, seconds: hour },
  source_import: { limit: 100, anonymous: hourlyLimits.anonymous, seconds: hour },
  code_scanning_autofix: { limit: 10, anonymous: 10, seconds: minute },
  actions_runner_registration: { limit: 10_000, anonymous: hourlyLimits.anonymous, seconds: hour },
  scim: { limit: 15_000, anonymous: hourlyLimits.anonymous, seconds: hour },
  dependency_snapshots: { limit: 100, anonymous: 60, seconds: minute },
  code_search: { limit: 10, anonymous: 10, seconds: minute },
} satisfies Record<string, ResourceLimit>;

export type Resource = keyof typeof resourceLimits;

/** The resource of a REST endpoint, by its method and its published path template. Starting an import alone has one of its own. */
export function resourceOf({ method, path }: { method: string; path: string }): Resource {
  return method === 'PUT' && path === '/repos/{owner}/{repo}/import' ? 'source_import' : 'core';
}
