import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { PageInfo } from '../vocabulary/page.ts';
import { Instant } from '../vocabulary/scalars.ts';
import { Account } from './account.ts';
import { Repository } from './repository.ts';

export const EventType = {
  PUSH: 'PushEvent',
  CREATE: 'CreateEvent',
  DELETE: 'DeleteEvent',
  WATCH: 'WatchEvent',
  FORK: 'ForkEvent',
  PUBLIC: 'PublicEvent',
  MEMBER: 'MemberEvent',
} as const;
export type EventType = (typeof EventType)[keyof typeof EventType];
registerEnumType(EventType, { name: 'EventType', description: 'What kind of thing happened.' });

@ObjectType({ description: 'Who did something: a user or an app.', simpleResolvers: true })
export class EventActor {
  @Computed(() => GraphQLSafeInt, 'Number of the account, of an app the number of the app.')
  databaseId!: number;

  @Computed(() => String, 'Login, of an app its name with `[bot]` behind it.')
  login!: string;

  @Computed(() => String, 'Empty: pictures are kept by no third party.')
  avatarId!: string;

  @Computed(() => String, 'Address in the REST API.')
  url!: string;

  @Computed(() => String, 'Address of the picture.')
  avatarUrl!: string;
}

@ObjectType({ description: 'Where something happened.', simpleResolvers: true })
export class EventRepository {
  @Computed(() => GraphQLSafeInt, 'Number of the repository.')
  databaseId!: number;

  @Computed(() => String, 'Login of the owner, a slash and the name, as they are now.')
  name!: string;

  @Computed(() => String, 'Address in the REST API.')
  url!: string;
}

@ObjectType({ description: 'A commit that a push brought.', simpleResolvers: true })
export class PushedCommitPerson {
  @Computed(() => String, 'E-mail address.')
  email!: string;

  @Computed(() => String, 'Name.')
  name!: string;
}

@ObjectType({ description: 'A commit that a push brought.', simpleResolvers: true })
export class EventCommit {
  @Computed(() => String, 'Id of the commit.')
  sha!: string;

  @Computed(() => PushedCommitPerson, 'Who wrote it.')
  author!: PushedCommitPerson;

  @Computed(() => String, 'Message, up to 8,192 characters of it.')
  message!: string;

  @Computed(() => Boolean, 'Whether no other branch had it before.')
  distinct!: boolean;

  @Computed(() => String, 'Address in the REST API.')
  url!: string;
}

@ObjectType({ description: 'A branch was moved, or made with commits that no branch had.', simpleResolvers: true })
export class PushPayload {
  @Computed(() => GraphQLSafeInt, 'Number of the repository.')
  repositoryId!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the push of this branch.')
  pushId!: number;

  @Computed(() => Int, 'Commits that the branch did not have before.')
  size!: number;

  @Computed(() => Int, 'How many of them no other branch had.')
  distinctSize!: number;

  @Computed(() => String, 'Full name of the branch.', { null: true })
  ref!: string;

  @Computed(() => String, 'Where it stands now.')
  head!: string;

  @Computed(() => String, 'Where it stood; forty zeros for a new one.')
  before!: string;

  @Computed(() => [EventCommit], 'The newest 20 of the commits, the oldest first.')
  commits!: EventCommit[];
}

@ObjectType({ description: 'A branch, a tag or the repository was made.', simpleResolvers: true })
export class CreatePayload {
  @Computed(() => String, 'Short name; null for the repository.', { null: true })
  ref!: string | null;

  @Computed(() => String, 'branch, tag or repository.')
  refType!: string;

  @Computed(() => String, 'Full name; null for the repository.', { null: true })
  fullRef!: string | null;

  @Computed(() => String, 'The default branch, when it happened.')
  masterBranch!: string;

  @Computed(() => String, 'What the repository was for, when it happened.', { null: true })
  description!: string | null;

  @Computed(() => String, 'user: there are no deploy keys.')
  pusherType!: string;
}

@ObjectType({ description: 'A branch or a tag was deleted.', simpleResolvers: true })
export class DeletePayload {
  @Computed(() => String, 'Short name.', { null: true })
  ref!: string;

  @Computed(() => String, 'branch or tag.')
  refType!: string;

  @Computed(() => String, 'Full name.', { null: true })
  fullRef!: string;

  @Computed(() => String, 'user: there are no deploy keys.')
  pusherType!: string;
}

@ObjectType({ description: 'The repository was starred.', simpleResolvers: true })
export class WatchPayload {
  @Computed(() => String, 'started')
  action!: string;
}

@ObjectType({ description: 'The repository was forked.', simpleResolvers: true })
export class ForkPayload {
  @Computed(() => String, 'forked')
  action!: string;

  @Computed(() => Repository, 'The copy, if the caller may see it.', { null: true })
  forkee!: Repository | null;
}

@ObjectType({ description: 'The repository was opened to everybody.', simpleResolvers: true })
export class PublicPayload {
  @Computed(() => Boolean, 'Always null: there is nothing to say.', { null: true })
  nothing!: null;
}

@ObjectType({ description: 'Somebody was let into the repository.', simpleResolvers: true })
export class MemberPayload {
  @Computed(() => Account, 'Who.', { null: true })
  member!: Account | null;

  @Computed(() => String, 'added')
  action!: string;
}

export const EventPayload = createUnionType({
  name: 'EventPayload',
  description: 'What there is to say of an event, by its kind.',
  types: () =>
    [PushPayload, CreatePayload, DeletePayload, WatchPayload, ForkPayload, PublicPayload, MemberPayload] as const,
});

@ObjectType('Event', { description: 'Something that happened in a repository.', simpleResolvers: true })
export class HostingEvent {
  @Computed(() => String, 'Number of the event as text; later ones have larger ones.')
  databaseId!: string;

  @Computed(() => EventType, 'What kind of thing happened.')
  type!: string;

  @Computed(() => String, 'The kind as the REST API says it, such as PushEvent.')
  typeName!: string;

  @Computed(() => EventActor, 'Who did it.')
  actor!: EventActor;

  @Computed(() => EventRepository, 'Where.')
  repository!: EventRepository;

  @Computed(() => EventPayload, 'What there is to say of it.')
  payload!: typeof EventPayload;

  @Computed(() => Boolean, 'Whether everybody may see the repository now.')
  isPublic!: boolean;

  @Computed(() => Instant, 'When it happened.')
  createdAt!: string;

  @Computed(() => EventActor, 'The organization that the repository belongs to, if it does.', { null: true })
  organization!: EventActor | null;
}

@ObjectType({
  description: 'Events of the past 90 days, the newest first. 300 of them can be reached.',
  simpleResolvers: true,
})
export class EventFeed {
  @Computed(() => String, 'Changes whenever the events of this page do, or the names in them.')
  etag!: string;

  @Computed(() => Instant, 'When the newest event of this page happened; null for none.', { null: true })
  lastModified!: string | null;

  @Computed(() => Int, 'Seconds to wait before asking again.')
  pollInterval!: number;

  @Field(() => [HostingEvent], { description: 'The events of this page; none where `unless` has its `etag`.' })
  nodes!: HostingEvent[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  pageInfo!: PageInfo;
}
