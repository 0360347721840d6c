import { Arg, Query, Resolver } from 'type-graphql';
import { EventFeeds, HostingRoot, InstallationMetadata } from '../../../schema/hosting/hosting-root.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';

/**
 * Versions of the code hosting API, newest first. A version is supported for at least 24 months after its successor.
 */
const apiVersions = ['2026-03-10', '2022-11-28'];

/** The first version without the list of authorizations. */
const withoutAuthorizations = '2026-03-10';

@Resolver()
export class MetaRoots {
  @Access('public')
  @Cost(0)
  @Query(() => InstallationMetadata, { nullable: true, description: 'Facts about this installation.' })
  meta(): InstallationMetadata {
    return { isPasswordAuthenticationVerifiable: false };
  }

  @RestOnly()
  @Access('public')
  @Cost(0)
  @Query(() => [String], { description: 'Supported versions of the code hosting REST API, newest first.' })
  hostingApiVersions(): string[] {
    return apiVersions;
  }

  @RestOnly()
  @Access('public')
  @Cost(0)
  @Query(() => EventFeeds, { description: 'Feeds of events in the code hosting REST API.' })
  eventFeeds(): EventFeeds {
    const mediaType = 'application/json';
    return {
      links: {
        timeline: { path: '/events', mediaType },
        user: { path: '/users/{user}/events/public', mediaType },
      },
    };
  }

  @RestOnly()
  @Access('public')
  @Cost(0)
  @Query(() => HostingRoot, { description: 'Entry points of the code hosting REST API that depend on its version.' })
  hostingRoot(@Arg('version', () => String, { description: 'Version of the API.' }) version: string): HostingRoot {
    return { authorizationsPath: version < withoutAuthorizations ? '/authorizations' : null };
  }
}
