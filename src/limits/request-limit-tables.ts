const minute = 60;
const hour = 60 * minute;

/** Most requests in an hour by who asks; see `CallerAllowances` for who is who. */
export const hourlyLimits = {
  /** Of one address of origin. Also of a session of the health product, to which hosting data is as to anybody. */
  anonymous: 60,
  /** By all tokens of a user together, and all apps that act for them. */
  user: 5_000,
  /** Where an organization pays for it. */
  enterprise: 15_000,
  workflow: 1_000,
  /** At least and at most of an installation, and what each repository or person beyond so many adds. */
  installation: { min: 5_000, max: 12_500, perExtra: 50, included: 20 },
} as const;

/** Most requests in an hour of an installation on so many repositories, of an organization of so many people. */
export function installationHourlyLimit(repositories: number, people: number): number {
  const { min, max, perExtra, included } = hourlyLimits.installation;
  const more = Math.max(0, repositories - included) + Math.max(0, people - included);
  return Math.min(max, min + perExtra * more);
}

/** Secondary limits of one caller, over all entry points. */
export const secondaryLimits = {
  /** Requests at the same time. One that is not heard of for so many seconds counts no more. */
  concurrent: { limit: 100, seconds: 60 },
  /** Points of one REST endpoint. */
  endpointPoints: { limit: 900, seconds: minute },
  graphqlPoints: { limit: 2_000, seconds: minute },
  content: [
    { limit: 80, seconds: minute },
    { limit: 500, seconds: hour },
  ],
} as const;

/** Whose resources are counted: those of an address, of a person of the health product, of a hosting credential. */
export type CallerClass = 'address' | 'person' | 'credential';

/**
 * What one caller may use in a minute: microseconds of CPU and of database time, bytes sent. It is looked at before a request
 * and charged after it, so that one request may exceed it.
 *
 * The CPU of a credential is published. The database runs at most a pool's worth of statements at a time, of which a credential
 * may have one all the time. 1 GB a minute is 130 Mbit/s, more than a client on the Internet reads; pictures and archives of
 * 20 MB stay well below. An address may ask 60 times a minute and has about a fifth: an honest request is answered in 10 ms.
 */
export const usageLimits = {
  cpu: { address: 20_000_000, person: 30_000_000, credential: 90_000_000 },
  graphqlCpu: { address: 15_000_000, person: 20_000_000, credential: 60_000_000 },
  database: { address: 15_000_000, person: 20_000_000, credential: 60_000_000 },
  bytes: { address: 200_000_000, person: 300_000_000, credential: 1_000_000_000 },
  seconds: minute,
} as const;

/** What the health product's callers may spend on GraphQL in a minute, in its own currency: as many as they may ask by REST. */
export const healthGraphqlLimits = {
  anonymous: { limit: 60, seconds: minute },
  person: { limit: 600, seconds: minute },
};

interface ResourceLimit {
  /** Undefined: as many as the caller's class has. */
  limit?: number;
  anonymous: number;
  seconds: number;
}

/** Windows that requests are counted in, each by itself, in the published order. */
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

/** The resource that an endpoint of REST counts in, by its published path. */
export function resourceOfPath(path: string): Resource {
  return /^\/repos\/\{owner\}\/\{repo\}\/import(\/|$)/.test(path) ? 'source_import' : 'core';
}
