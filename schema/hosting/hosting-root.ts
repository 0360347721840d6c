import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

@ObjectType({
  description: 'Entry points of the code hosting REST API that depend on its version.',
  simpleResolvers: true,
})
export class HostingRoot {
  @Computed(() => String, 'Path of the list of authorizations; null in versions without it.', { null: true })
  authorizationsPath!: string | null;
}

@ObjectType({ description: 'Feed of events in the code hosting REST API.', simpleResolvers: true })
export class EventFeedLink {
  @Computed(() => String, 'Path or path template.')
  path!: string;

  @Computed(() => String, 'Media type.')
  mediaType!: string;
}

@ObjectType({ description: 'Feeds of events in the code hosting REST API.', simpleResolvers: true })
class EventFeedLinks {
  @Computed(() => EventFeedLink, 'Public events.')
  timeline!: EventFeedLink;

  @Computed(() => EventFeedLink, 'Public events of a user.')
  user!: EventFeedLink;
}

@ObjectType({ description: 'Root of the feeds of events in the code hosting REST API.', simpleResolvers: true })
export class EventFeeds {
  @Computed(() => EventFeedLinks, 'Feeds by name.')
  links!: EventFeedLinks;
}

@ObjectType('GitHubMetadata', {
  description: 'Facts about this installation of the code hosting product.',
  simpleResolvers: true,
})
export class InstallationMetadata {
  @Computed(() => Boolean, 'Whether passwords are accepted. Always false: callers have tokens.')
  isPasswordAuthenticationVerifiable!: boolean;
}
