import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';

@ObjectType({ description: 'Subject that repositories can be about.', simpleResolvers: true })
export class Topic {
  @Computed(() => String, 'Name in lower case.')
  name!: string;
}

@ObjectType({ description: 'Assignment of a topic to a repository.', simpleResolvers: true })
export class RepositoryTopic {
  @Computed(() => Topic, 'Topic that the repository has.')
  topic!: Topic;
}

export const RepositoryTopicConnection = connectionOf('RepositoryTopic', () => RepositoryTopic, 'topics');
