import { createUnionType, Int, InterfaceType, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { ListSize } from '../vocabulary/list-size.ts';
import { Blob, Commit } from './git-object.ts';

/** Requested representation of contents. */
export const ContentForm = { JSON: 'JSON', RAW: 'RAW', HTML: 'HTML', OBJECT: 'OBJECT' } as const;
export type ContentFormName = keyof typeof ContentForm;
registerEnumType(ContentForm, {
  name: 'ContentForm',
  description: 'Representation of contents.',
  valuesConfig: {
    JSON: { description: 'Object; a directory is the list of its entries.' },
    RAW: { description: 'Reference to the bytes.' },
    HTML: { description: 'File rendered as HTML.' },
    OBJECT: { description: 'Object for a directory too.' },
  },
});

export const ContentKind = { FILE: 'file', DIR: 'dir', SYMLINK: 'symlink', SUBMODULE: 'submodule' } as const;
export type ContentKindName = (typeof ContentKind)[keyof typeof ContentKind];
registerEnumType(ContentKind, { name: 'ContentKind', description: 'Kind of contents.' });

@ObjectType({ description: 'URLs of contents.', simpleResolvers: true })
export class ContentLinks {
  @Computed(() => String, 'URL of the git object in the API; null for a submodule of another host.', { null: true })
  git!: string | null;

  @Computed(() => String, 'URL of the contents in the API.')
  self!: string;

  @Computed(() => String, 'URL of the page; null for a submodule of another host.', { null: true })
  html!: string | null;
}

@InterfaceType({ description: 'Contents at a path of a repository.' })
export abstract class ContentItem {
  @Computed(() => ContentKind, 'Kind of the contents.')
  type!: ContentKindName;

  @Computed(() => Int, 'Size in bytes; 0 for directories and submodules.')
  size!: number;

  @Computed(() => String, 'Name in its directory.')
  name!: string;

  @Computed(() => String, 'Path from the root of the repository.')
  path!: string;

  @Computed(() => String, 'Id of the git object; for a submodule, of the commit there.')
  sha!: string;

  @Computed(() => String, 'URL of the contents in the API.')
  url!: string;

  @Computed(() => String, 'URL of the git object in the API; null for a submodule of another host.', { null: true })
  gitUrl!: string | null;

  @Computed(() => String, 'URL of the page; null for a submodule of another host.', { null: true })
  htmlUrl!: string | null;

  @Computed(
    () => String,
    'Download URL; null where there are no bytes. For a private repository it is valid for one download within 5 minutes.',
    { null: true },
  )
  downloadUrl!: string | null;

  @Computed(() => ContentLinks, 'The same URLs as one object.')
  links!: ContentLinks;
}

@ObjectType({ implements: ContentItem, description: 'Entry of a directory.', simpleResolvers: true })
export class ContentEntry extends ContentItem {
  @Computed(() => String, 'Git URL of a submodule; null for other entries.', { null: true })
  submoduleGitUrl!: string | null;
}

@ObjectType({ implements: ContentItem, description: 'File with its content.', simpleResolvers: true })
export class FileContent extends ContentItem {
  @Computed(() => String, 'Encoding of `content`: `base64`, or `none` for files above 1 MB.')
  encoding!: string;

  @Computed(() => String, 'Content in Base64, lines of 60 characters; empty for the encoding `none`.')
  content!: string;

  @Computed(() => String, 'Tag that changes with the content.')
  versionTag!: string;

  @Computed(() => String, 'Time of the last commit that changed the file; null where it is beyond the search limit.', {
    null: true,
  })
  lastModified!: string | null;
}

@ObjectType({
  implements: ContentItem,
  description: 'Symbolic link whose target is not a file of the repository.',
  simpleResolvers: true,
})
export class SymlinkContent extends ContentItem {
  @Computed(() => String, 'Target of the link.')
  target!: string;

  @Computed(() => String, 'Tag that changes with the link.')
  versionTag!: string;

  @Computed(() => String, 'Time of the last commit that changed it; null where it is beyond the search limit.', {
    null: true,
  })
  lastModified!: string | null;
}

@ObjectType({
  implements: ContentItem,
  description: 'Submodule: another repository at one of its commits.',
  simpleResolvers: true,
})
export class SubmoduleContent extends ContentItem {
  @Computed(() => String, 'Git URL from .gitmodules; null where that has none.', { null: true })
  submoduleGitUrl!: string | null;

  @Computed(() => String, "Tag that changes with the submodule's commit.")
  versionTag!: string;

  @Computed(() => String, 'Time of the last commit that changed it; null where it is beyond the search limit.', {
    null: true,
  })
  lastModified!: string | null;
}

const aboutOmitted = 'Number of entries that are left out; null where none is.';
const aboutTreeLink = 'Value of the HTTP header `Link` to the whole tree. Null where no entry is left out.';

@ObjectType({ description: 'Listing of a directory: the first 1,000 entries in git order.', simpleResolvers: true })
export class DirectoryListing {
  @ListSize(1_000)
  @Computed(() => [ContentEntry], 'Entries of the directory.')
  entries!: ContentEntry[];

  @Computed(() => String, 'Tag that changes with everything below the directory.')
  versionTag!: string;

  @Computed(
    () => String,
    'Time of the last commit that changed something below it; null where it is beyond the search limit.',
    { null: true },
  )
  lastModified!: string | null;

  @Computed(() => Int, aboutOmitted, { null: true })
  omittedEntryCount!: number | null;

  @Computed(() => String, aboutTreeLink, { null: true })
  treeLink!: string | null;
}

@ObjectType({
  implements: ContentItem,
  description: 'Directory as contents, with its first 1,000 entries.',
  simpleResolvers: true,
})
export class DirectoryContent extends ContentItem {
  @ListSize(1_000)
  @Computed(() => [ContentEntry], 'Entries of the directory.')
  entries!: ContentEntry[];

  @Computed(() => String, 'Tag that changes with everything below the directory.')
  versionTag!: string;

  @Computed(
    () => String,
    'Time of the last commit that changed something below it; null where it is beyond the search limit.',
    { null: true },
  )
  lastModified!: string | null;

  @Computed(() => Int, aboutOmitted, { null: true })
  omittedEntryCount!: number | null;

  @Computed(() => String, aboutTreeLink, { null: true })
  treeLink!: string | null;
}

@ObjectType({ description: 'Reference to the bytes of a file.', simpleResolvers: true })
export class RawContent {
  @Computed(() => String, 'Handle by which the gateway finds the bytes.')
  handle!: string;

  @Computed(() => String, 'Media type of the bytes, for the Content-Type header.')
  mediaType!: string;

  @Computed(() => Int, 'Size in bytes.')
  size!: number;

  @Computed(() => String, 'Tag that changes with the bytes.')
  versionTag!: string;

  @Computed(() => String, 'Time of the last commit that changed the file; null where it is beyond the search limit.', {
    null: true,
  })
  lastModified!: string | null;
}

@ObjectType({ description: 'File rendered as a sanitised HTML fragment.', simpleResolvers: true })
export class RenderedContent {
  @Computed(() => String, 'HTML fragment of the rendered file, sanitised.')
  text!: string;

  @Computed(() => String, 'Tag that changes with the file and the renderer.')
  versionTag!: string;

  @Computed(() => String, 'Time of the last commit that changed the file; null where it is beyond the search limit.', {
    null: true,
  })
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
  description: 'Contents at a path in the requested representation, where it has one.',
  types: () => contents,
});

export const BlobContent = createUnionType({
  name: 'BlobContent',
  description: 'Blob, or a reference to its bytes.',
  types: () => [Blob, RawContent] as const,
});

@ObjectType({ description: 'Link to an archive of a repository.', simpleResolvers: true })
export class ArchiveLink {
  @Computed(() => String, 'URL of the archive. For a private repository it is valid for 5 minutes.')
  url!: string;

  @Computed(() => String, 'Time that the link may be kept, as `Cache-Control` says it.')
  cacheControl!: string;
}

@ObjectType({ description: 'Place in a repository: a ref, a path, and what is there.', simpleResolvers: true })
export class RepositoryLocation {
  @Computed(() => String, 'Short name of a branch or tag, or a commit id.')
  ref!: string;

  @Computed(() => String, 'Path; empty for the root.')
  path!: string;
}

@ObjectType({ description: 'Entry of a directory with the newest commit that changed it.', simpleResolvers: true })
export class EntryCommit {
  @Computed(() => String, 'Name of the entry.')
  name!: string;

  @Computed(() => Commit, 'Newest commit that changed the entry.')
  commit!: Commit;
}
