import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { ContentForm, type ContentFormName } from '../../../schema/hosting/content.ts';
import { GitPersonInput } from '../../../schema/hosting/git-commit.ts';
import {
  GitBlobContent,
  GitRefDocument,
  GitTagDocument,
  GitTreeDocument,
  GitTreeItemInput,
  StoredGitBlob,
} from '../../../schema/hosting/git-documents.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import { LongBase64, type TextInPieces } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { maxTreeEntries } from './create-objects.ts';
import { findBlobDocument, findMatchingRefs, findRefDocument, findTagDocument } from './git-documents.ts';
import { findTreeDocument } from './list-tree.ts';
import {
  restCreateBlob,
  restCreateRef,
  restCreateTag,
  restCreateTree,
  restDeleteRef,
  restUpdateRef,
} from './rest-git-writes.ts';

const text = (name: string, description: string) => Arg(name, () => String, { description });
const optionalText = (name: string, description: string) => Arg(name, () => String, { nullable: true, description });
const oid = 'Object id: 40 hexadecimal digits.';
const shortRef = 'Name below refs/, such as heads/main.';

/** Git objects and refs as documents, for the REST contract. */
@Resolver()
export class RestGitData {
  @RestOnly()
  @Access('contents:read')
  @Query(() => GitRefDocument, { description: 'Ref by its name.' })
  gitRef(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('ref', shortRef) ref: string,
    @Ctx() context: Context,
  ): Promise<GitRefDocument> {
    return findRefDocument(context, repository, ref);
  }

  @RestOnly()
  @Access('contents:read')
  @Cost(20)
  @Query(() => [GitRefDocument], { description: 'Refs whose names begin with a text, by name; at most 10,000.' })
  matchingGitRefs(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('ref', 'Beginning of the names below refs/, such as heads/feature.') ref: string,
    @Ctx() context: Context,
  ): Promise<GitRefDocument[]> {
    return findMatchingRefs(context, repository, ref);
  }

  @RestOnly()
  @Access('contents:read')
  @Cost(100)
  @Query(() => GitTreeDocument, { description: 'Listing of a tree.' })
  gitTree(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('sha', 'Id of a tree, or a branch, tag or commit that has one.') sha: string,
    @optionalText('recursive', 'Whether directories are listed too: with any value.') recursive: string | undefined,
    @Ctx() context: Context,
  ): Promise<GitTreeDocument> {
    return findTreeDocument(context, repository, { revision: sha, isRecursive: recursive != null });
  }

  @RestOnly()
  @Access('contents:read')
  @Cost(100)
  @Query(() => GitBlobContent, { description: 'Blob by its id.' })
  gitBlob(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('sha', oid) sha: string,
    @Arg('form', () => ContentForm, { defaultValue: 'JSON', description: 'JSON, or the bytes.' }) form: ContentFormName,
    @Ctx() context: Context,
  ) {
    return findBlobDocument(context, repository, { sha, isRaw: form === 'RAW' });
  }

  @RestOnly()
  @Access('contents:read')
  @Query(() => GitTagDocument, { description: 'Annotated tag by its id.' })
  gitTag(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('sha', oid) sha: string,
    @Ctx() context: Context,
  ): Promise<GitTagDocument> {
    return findTagDocument(context, repository, sha);
  }

  @RestOnly()
  @Access('contents:write')
  @Mutation(() => GitRefDocument, { description: 'Creates a ref.' })
  restCreateRef(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('ref', 'Full name, such as refs/heads/main.') ref: string,
    @text('sha', oid) sha: string,
    @Ctx() context: Context,
  ): Promise<GitRefDocument> {
    return restCreateRef(context, repository, { ref, sha });
  }

  @RestOnly()
  @Access('contents:write')
  @Mutation(() => GitRefDocument, { description: 'Updates a ref.' })
  restUpdateRef(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('ref', shortRef) ref: string,
    @text('sha', oid) sha: string,
    @Arg('force', () => Boolean, { nullable: true, description: 'Whether the update need not be a fast-forward.' })
    force: boolean | undefined,
    @Ctx() context: Context,
  ): Promise<GitRefDocument> {
    return restUpdateRef(context, repository, { ref, sha, force });
  }

  @RestOnly()
  @Access('contents:write')
  @Mutation(() => Boolean, { description: 'Deletes a ref.' })
  async restDeleteRef(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('ref', shortRef) ref: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await restDeleteRef(context, repository, ref);
    return true;
  }

  @RestOnly()
  @Access('contents:write')
  @Mutation(() => StoredGitBlob, { description: 'Stores a blob.' })
  restCreateBlob(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('content', () => LongBase64, { description: 'Content, at most 100 MB.' }) content: string | TextInPieces,
    @text('encoding', 'Encoding of the content: `utf-8` or `base64`.') encoding: string,
    @Ctx() context: Context,
  ): Promise<StoredGitBlob> {
    return restCreateBlob(context, repository, { content, encoding });
  }

  @RestOnly()
  @Access('contents:write')
  @Mutation(() => GitTreeDocument, { description: 'Stores a tree: a base tree with changes, or only the entries.' })
  restCreateTree(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('tree', () => [GitTreeItemInput], {
      description: `Entries to set or delete, at most ${maxTreeEntries.toLocaleString('en')}.`,
    })
    tree: GitTreeItemInput[],
    @optionalText('baseTree', 'Id of the tree to change.') baseTree: string | undefined,
    @Ctx() context: Context,
  ): Promise<GitTreeDocument> {
    return restCreateTree(context, repository, { tree, baseTree });
  }

  @RestOnly()
  @Access('contents:write')
  @Mutation(() => GitTagDocument, { description: 'Stores an annotated tag. No ref is created.' })
  restCreateTag(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @text('tag', 'Name of the tag.') name: string,
    @text('message', 'Message of the tag.') message: string,
    @text('object', oid) object: string,
    @text('type', 'Type of the object: `commit`, `tree` or `blob`.') type: string,
    @Arg('tagger', () => GitPersonInput, { nullable: true, description: 'Tagger; the caller when absent.' })
    tagger: GitPersonInput | null | undefined,
    @optionalText('timeZone', 'IANA time zone of an absent date.') timeZone: string | undefined,
    @Ctx() context: Context,
  ): Promise<GitTagDocument> {
    return restCreateTag(context, repository, { name, message, object, type, tagger, timeZone });
  }
}
