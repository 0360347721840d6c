import { InterfaceType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { Uri } from '../vocabulary/scalars.ts';

@InterfaceType({ description: 'Object with a page on the website.' })
export abstract class UniformResourceLocatable {
  @Computed(() => Uri, 'Path of the page.')
  resourcePath!: string;

  @Computed(() => Uri, 'URL of the page.')
  url!: string;
}

@InterfaceType({ description: 'Account that can act: a user or an organization.' })
export abstract class Actor {
  @Computed(() => String, 'Login, unique without regard to case.')
  login!: string;

  @Computed(() => Uri, 'Path of the page.')
  resourcePath!: string;

  @Computed(() => Uri, 'URL of the page.')
  url!: string;
}
