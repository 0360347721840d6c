import { Extensions } from 'type-graphql';

/** Who may use a root field. The rule behind each word is in `src/auth/rules.ts`; a root field without a word stops the boot. */
export type AccessWord = 'public' | 'open' | 'account' | 'verified' | 'companion';

/** The access word of a root field. It stands beside the field, so that a change of permission is seen in the diff of the field. */
export function Access(word: AccessWord): MethodDecorator {
  return Extensions({ access: word }) as MethodDecorator;
}
