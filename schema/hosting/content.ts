import { GraphQLSafeInt } from 'graphql-scalars';
import { createUnionType, InterfaceType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

/** The form in which what stands at a path is wanted. */
export const ContentForm = { JSON: 'JSON', RAW: 'RAW', HTML: 'HTML', OBJECT: 'OBJECT' } as const;
export type ContentFormName = keyof typeof ContentForm;
registerEnumType(ContentForm, {
  name: 'ContentForm',
  description: 'JSON, the bytes of a file, a page made of it, or JSON that is an object for folders too.',
});

@ObjectType({ description: 'Addresses of what stands at a path.', simpleResolvers: true })
export class ContentLinks {
  @Computed(() => String, 'Its git object in the REST API; null for what is elsewhere.', { null: true })
  git!: string | null;

  @Computed(() => String, 'Itself in the REST API.')
  self!: string;

  @Computed(() => String, 'Its page; null for what is elsewhere.', { null: true })
  html!: string | null;
}

@InterfaceType({ description: 'What stands at a path of a repository.' })
export abstract class ContentItem {
  @Computed(() => String, '`file`, `dir`, `symlink` or `submodule`.')
  type!: string;

  @Computed(() => GraphQLSafeInt, 'In bytes; 0 for folders and submodules.')
  size!: number;

  @Computed(() => String, 'Its name in its folder.')
  name!: string;

  @Computed(() => String, 'Where it stands, from the root of the repository on.')
  path!: string;

  @Computed(() => String, 'Id of its git object; of a submodule the commit there.')
  sha!: string;

  @Computed(() => String, 'Its address in the REST API.')
  url!: string;

  @Computed(() => String, 'Its git object in the REST API; null for what is elsewhere.', { null: true })
  gitUrl!: string | null;

  @Computed(() => String, 'Its page; null for what is elsewhere.', { null: true })
  htmlUrl!: string | null;

  @Computed(
    () => String,
    'Its bytes; null for what has none. Of a private repository it is good for one download within five minutes.',
    { null: true },
  )
  downloadUrl!: string | null;

  @Computed(() => ContentLinks, 'The same addresses once more.')
  links!: ContentLinks;
}

@ObjectType({ implements: ContentItem, description: 'An item of a folder.', simpleResolvers: true })
export class ContentEntry extends ContentItem {
  @Computed(() => String, 'Where a submodule comes from; null for anything else.', { null: true })
  submoduleGitUrl!: string | null;
}

@ObjectType({ implements: ContentItem, description: 'A file with what is in it.', simpleResolvers: true })
export class FileContent extends ContentItem {
  @Computed(() => String, '`base64`, or `none` for files above 1 MB.')
  encoding!: string;

  @Computed(() => String, 'Base64 in lines of 60 characters; empty where the encoding is `none`.')
  content!: string;

  @Computed(() => String, 'Changes when what is in it changes.')
  etag!: string;

  @Computed(() => String, 'When a commit last touched it; null where that lies too far back to be looked for.', {
    null: true,
  })
  lastModified!: string | null;
}

@ObjectType({
  implements: ContentItem,
  description: 'A symbolic link that leads to no file of the repository.',
  simpleResolvers: true,
})
export class SymlinkContent extends ContentItem {
  @Computed(() => String, 'The text of the link.')
  target!: string;

  @Computed(() => String, 'Changes when the link changes.')
  etag!: string;

  @Computed(() => String, 'When a commit last touched it.', { null: true })
  lastModified!: string | null;
}

@ObjectType({
  implements: ContentItem,
  description: 'Another repository at one of its commits.',
  simpleResolvers: true,
})
export class SubmoduleContent extends ContentItem {
  @Computed(() => String, 'Where it comes from, as .gitmodules says; null where that says nothing.', { null: true })
  submoduleGitUrl!: string | null;

  @Computed(() => String, 'Changes when another commit is taken.')
  etag!: string;

  @Computed(() => String, 'When a commit last touched it.', { null: true })
  lastModified!: string | null;
}

@ObjectType({ description: 'What is in a folder: the first 1,000 items in the order of git.', simpleResolvers: true })
export class DirectoryListing {
  @Computed(() => [ContentEntry], 'The items.')
  entries!: ContentEntry[];

  @Computed(() => String, 'Changes when anything below the folder changes.')
  etag!: string;

  @Computed(() => String, 'When a commit last touched something below it.', { null: true })
  lastModified!: string | null;
}

@ObjectType({
  implements: ContentItem,
  description: 'A folder as an item, with the first 1,000 of what is in it.',
  simpleResolvers: true,
})
export class DirectoryContent extends ContentItem {
  @Computed(() => [ContentEntry], 'The items.')
  entries!: ContentEntry[];

  @Computed(() => String, 'Changes when anything below the folder changes.')
  etag!: string;

  @Computed(() => String, 'When a commit last touched something below it.', { null: true })
  lastModified!: string | null;
}

@ObjectType({ description: 'The bytes of a file: where they are, never themselves.', simpleResolvers: true })
export class RawContent {
  @Computed(() => String, 'By which the gateway finds them.')
  handle!: string;

  @Computed(() => String, 'Their media type.')
  mediaType!: string;

  @Computed(() => GraphQLSafeInt, 'In bytes.')
  size!: number;

  @Computed(() => String, 'Changes when they change.')
  etag!: string;

  @Computed(() => String, 'When a commit last touched the file.', { null: true })
  lastModified!: string | null;
}

@ObjectType({ description: 'A file as a page: a fragment of HTML that is safe to show.', simpleResolvers: true })
export class RenderedContent {
  @Computed(() => String, 'The fragment.')
  text!: string;

  @Computed(() => String, 'Changes when the file does, or how it is rendered.')
  etag!: string;

  @Computed(() => String, 'When a commit last touched the file.', { null: true })
  lastModified!: string | null;
}

const contents = [
  FileContent,
  SymlinkContent,
  SubmoduleContent,
  DirectoryListing,
  DirectoryContent,
  RawContent,
  RenderedContent,
] as const;

export const RepositoryContent = createUnionType({
  name: 'RepositoryContent',
  description: 'What stands at a path, in the form that was asked for where it has that form.',
  types: () => contents,
});

@ObjectType({ description: 'An archive of a repository, to be fetched elsewhere.', simpleResolvers: true })
export class ArchiveLink {
  @Computed(() => String, 'Where it is. Of a private repository it is good for five minutes.')
  url!: string;

  @Computed(() => String, 'Whether and how long the link may be kept.')
  cacheControl!: string;
}
