import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { HostingRoot, InstallationMetadata } from '../../../schema/hosting/hosting-root.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';

/**
 * Versions of the code hosting API, newest first. A version is supported for at least 24 months after its successor.
 */
const apiVersions = ['2026-03-10', '2022-11-28'];

/** Path of each entry of the API root, and its published template where it differs. */
const rootPaths: Record<keyof HostingRoot, { path: string; template?: string }> = {
  currentUser: { path: '/user' },
  events: { path: '/events' },
  organization: { path: '/orgs/{org}' },
  rateLimit: { path: '/rate_limit' },
  repository: { path: '/repos/{owner}/{repo}' },
  user: { path: '/users/{username}', template: '/users/{user}' },
};

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
  @Query(() => HostingRoot, {
    description: 'Entry points of the code hosting REST API, as URL templates with parameters in braces.',
  })
  hostingRoot(
    @Arg('paths', () => [String], { description: 'Served paths; other entries are null.' })
    paths: string[],
    @Ctx() context: Context,
  ): HostingRoot {
    const served = new Set(paths);
    const entries = Object.entries(rootPaths).map(([name, { path, template = path }]) => [
      name,
      served.has(path) ? `${context.apiBaseUrl}${template}` : null,
    ]);
    return Object.fromEntries(entries);
  }
}
