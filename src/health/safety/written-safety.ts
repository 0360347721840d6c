import { FieldResolver, Resolver, Root } from 'type-graphql';
import { SafetyNotice } from '../../../schema/health/safety-notice.ts';

/** What a write returns carries this, and what is read later does not: the level is stored nowhere. */
export interface Heard {
  /** Classifies what was written; called when somebody selects the notice. */
  readonly hear?: () => Promise<SafetyNotice>;
}

/** The payload of a write, with the notice for its writer beside what was written, and within it. */
export function withSafety<Name extends string, Row extends object>(
  name: Name,
  row: Row,
  classify: () => Promise<SafetyNotice>,
): Record<Name, Row & Heard> & Heard {
  let notice: Promise<SafetyNotice> | undefined;
  const hear = () => {
    notice ??= classify();
    return notice;
  };
  return { [name]: { ...row, hear }, hear } as Record<Name, Row & Heard> & Heard;
}

/** Resolvers of `safety`: of the payloads of writes, and of what they wrote, which is the whole body of a REST response. */
export function safetyResolvers(
  noun: new () => object,
  ...payloads: readonly (new () => object)[]
): readonly (new () => object)[] {
  return [noun, ...payloads].map(type => {
    @Resolver(() => type)
    class WrittenSafety {
      @FieldResolver(() => SafetyNotice, {
        nullable: true,
        description:
          'Safety level of what you wrote, with contacts for help. Null where there is nothing to say, and of what was written earlier.',
      })
      async safety(@Root() { hear }: Heard): Promise<SafetyNotice | null> {
        const notice = await hear?.();
        return notice?.text ? notice : null;
      }
    }
    return WrittenSafety;
  });
}
