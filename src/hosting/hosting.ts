import { MetaRoots } from './meta/meta.graph.ts';

/** The door of the code hosting product: what the server takes from it. */
export const hostingResolvers = [MetaRoots] as const;
