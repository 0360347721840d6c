import { registerEnumType } from 'type-graphql';

/** Filters of the lists of repositories over REST, whose parameters have other values than the arguments of the graph. */
export const RepositorySort = {
  CREATED: 'created_at',
  UPDATED: 'updated_at',
  PUSHED: 'pushed_at',
  FULL_NAME: 'full_name',
} as const;
export type RepositorySort = (typeof RepositorySort)[keyof typeof RepositorySort];
registerEnumType(RepositorySort, { name: 'RepositorySort', description: 'Order of a list of repositories over REST.' });

export const ForkSort = {
  NEWEST: 'newest',
  OLDEST: 'oldest',
  STARGAZERS: 'stargazers',
  WATCHERS: 'watchers',
} as const;
export type ForkSort = (typeof ForkSort)[keyof typeof ForkSort];
registerEnumType(ForkSort, { name: 'ForkSort', description: 'Order of a list of forks over REST.' });

export const RepositoryVisibilityFilter = { ALL: 'all', PUBLIC: 'public', PRIVATE: 'private' } as const;
export type RepositoryVisibilityFilter = (typeof RepositoryVisibilityFilter)[keyof typeof RepositoryVisibilityFilter];
registerEnumType(RepositoryVisibilityFilter, {
  name: 'RepositoryVisibilityFilter',
  description: 'Visibility of the repositories in a list over REST.',
});

export const ViewerRepositoryType = {
  ALL: 'all',
  OWNER: 'owner',
  PUBLIC: 'public',
  PRIVATE: 'private',
  MEMBER: 'member',
} as const;
export type ViewerRepositoryType = (typeof ViewerRepositoryType)[keyof typeof ViewerRepositoryType];
registerEnumType(ViewerRepositoryType, {
  name: 'ViewerRepositoryType',
  description: 'Which repositories of the caller are in a list over REST.',
  valuesConfig: {
    MEMBER: {
      description: 'Repositories of others: of organizations of the caller, and with the caller as collaborator.',
    },
  },
});

export const UserRepositoryType = { ALL: 'all', OWNER: 'owner', MEMBER: 'member' } as const;
export type UserRepositoryType = (typeof UserRepositoryType)[keyof typeof UserRepositoryType];
registerEnumType(UserRepositoryType, {
  name: 'UserRepositoryType',
  description: 'Which repositories of a user are in a list over REST.',
  valuesConfig: {
    MEMBER: { description: 'Repositories of others that the user works on; only the user is shown those.' },
  },
});

export const OrganizationRepositoryType = {
  ALL: 'all',
  PUBLIC: 'public',
  PRIVATE: 'private',
  FORKS: 'forks',
  SOURCES: 'sources',
  MEMBER: 'member',
} as const;
export type OrganizationRepositoryType = (typeof OrganizationRepositoryType)[keyof typeof OrganizationRepositoryType];
registerEnumType(OrganizationRepositoryType, {
  name: 'OrganizationRepositoryType',
  description: 'Which repositories of an organization are in a list over REST.',
  valuesConfig: {
    SOURCES: { description: 'Repositories that are no forks.' },
    MEMBER: { description: 'Repositories that the caller works on, as a member or a collaborator.' },
  },
});
