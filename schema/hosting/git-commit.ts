import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Instant } from '../vocabulary/scalars.ts';

@ObjectType({ description: 'Who wrote or committed something, and when.', simpleResolvers: true })
export class GitPerson {
  @Computed(() => String, 'The name as it stands in the commit.')
  name!: string;

  @Computed(() => String, 'The address as it stands in the commit.')
  email!: string;

  @Computed(() => Instant, 'When, in UTC.')
  date!: string;
}

@ObjectType({ description: 'An object that a commit points to.', simpleResolvers: true })
export class GitLink {
  @Computed(() => String, 'Its id: 40 hex digits.')
  sha!: string;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;

  @Computed(() => String, 'Its page; null where it has none.', { null: true })
  webUrl!: string | null;
}

@ObjectType({
  description: 'What became of the signature of a commit. Once found valid it stays so.',
  simpleResolvers: true,
})
export class CommitVerification {
  @Computed(() => Boolean, 'Whether the signature was found valid.')
  verified!: boolean;

  @Computed(() => String, 'Why, or why not: `valid`, `unsigned`, `unknown_key` and ten more.')
  reason!: string;

  @Computed(() => String, 'The signature as it stands in the commit; null where there is none.', { null: true })
  signature!: string | null;

  @Computed(() => String, 'What was signed: the commit without the signature; null where there is none.', {
    null: true,
  })
  payload!: string | null;

  @Computed(() => Instant, 'When it was first found valid; null until then.', { null: true })
  verifiedAt!: string | null;
}

@ObjectType({ description: 'A commit as git stores it.', simpleResolvers: true })
export class GitCommit {
  @Computed(() => String, 'Its id: 40 hex digits.')
  sha!: string;

  @Computed(() => ID, 'Identifier of the commit among all things there are.')
  nodeId!: string;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;

  @Computed(() => String, 'Its page.')
  webUrl!: string;

  @Computed(() => GitPerson, 'Who wrote the change.')
  author!: GitPerson;

  @Computed(() => GitPerson, 'Who made the commit.')
  committer!: GitPerson;

  @Computed(() => String, 'What was said about it, without line feeds at the end.')
  message!: string;

  @Computed(() => GitLink, 'The root folder.')
  tree!: GitLink;

  @Computed(() => [GitLink], 'The commits it follows: none for a first one, several for a merge.')
  parents!: GitLink[];
}

@ObjectType({
  description: 'Commits one behind the other, parents behind children, the youngest first.',
  simpleResolvers: true,
})
export class CommitHistory {
  @Computed(() => [GitCommit], 'The commits of this page.')
  nodes!: GitCommit[];

  @Computed(
    () => Boolean,
    'Whether more follow. How many there are in all is not counted: that would walk through all of them.',
  )
  hasNext!: boolean;
}

@InputType({ description: 'Who wrote something.' })
export class GitPersonInput {
  @Field(() => String, { description: 'Name.' })
  name!: string;

  @Field(() => String, { description: 'Address.' })
  email!: string;

  @Field(() => String, {
    nullable: true,
    description: 'ISO 8601 with a zone, which is kept; the present when left out.',
  })
  date?: string | null;
}

@InputType({ description: 'Who committed something. What is left out is as with the author.' })
export class GitCommitterInput {
  @Field(() => String, { nullable: true, description: 'Name.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Address.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'ISO 8601 with a zone, which is kept.' })
  date?: string | null;
}

/** Modes of what is no folder: those come with what is in them. */
export const GitFileMode = {
  FILE: '100644',
  EXECUTABLE: '100755',
  SYMLINK: '120000',
  SUBMODULE: '160000',
} as const;
export type GitFileModeValue = (typeof GitFileMode)[keyof typeof GitFileMode];
registerEnumType(GitFileMode, { name: 'GitFileMode', description: 'What an entry of a folder is.' });

export const GitTextEncoding = { UTF8: 'utf-8', BASE64: 'base64' } as const;
export type GitTextEncodingValue = (typeof GitTextEncoding)[keyof typeof GitTextEncoding];
registerEnumType(GitTextEncoding, {
  name: 'GitTextEncoding',
  description: 'How the bytes of a file are written as text.',
});
