import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { PlainText } from '../../../schema/hosting/commit-documents.ts';
import { InstallationMetadata } from '../../../schema/hosting/installation-metadata.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { zenOf } from './zen.ts';

const dayMs = 86_400_000;

/** Newest first. A version is supported for at least 24 months after its successor. */
const apiVersions = ['2026-03-10', '2022-11-28'];

@Resolver()
export class MetaRoots {
  @Access('public')
  @Cost(0)
  @Query(() => InstallationMetadata, { nullable: true, description: 'Facts about this installation.' })
  meta(): InstallationMetadata {
    return { isPasswordAuthenticationVerifiable: false, apiVersions };
  }
}

@Resolver(() => InstallationMetadata)
export class MetadataFields {
  @FieldResolver(() => InstallationMetadata, {
    description: 'Metadata itself, for documents that nest their properties.',
  })
  self(@Root() metadata: InstallationMetadata): InstallationMetadata {
    return metadata;
  }

  @FieldResolver(() => PlainText, { description: 'Sentence about work on code, another one each day.' })
  zen(@Ctx() context: Context): PlainText {
    return { text: zenOf(Math.floor(context.now().getTime() / dayMs)) };
  }
}
