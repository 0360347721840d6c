import { Query, Resolver } from 'type-graphql';
import { Access } from '../../../schema/vocabulary/access.ts';

/** Versions of the code hosting API, newest first. Each is kept for at least 24 months after its successor. */
const apiVersions = ['2026-03-10', '2022-11-28'];

@Resolver()
export class MetaRoots {
  @Access('public')
  @Query(() => [String], { description: 'Supported versions of the code hosting REST API, newest first.' })
  hostingApiVersions(): string[] {
    return apiVersions;
  }
}
