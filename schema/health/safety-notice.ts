import { ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { TriageLevel } from './assessment.ts';

export const SafetyLevel = { NONE: 'none', URGENT: 'urgent', CRISIS: 'crisis' } as const;
export type SafetyLevel = (typeof SafetyLevel)[keyof typeof SafetyLevel];
registerEnumType(SafetyLevel, {
  name: 'SafetyLevel',
  description:
    'Safety level of what a person wrote. `URGENT`: medical care is needed soon or at once. `CRISIS`: a person is in danger of harm.',
});

@ObjectType({ description: 'Contact for help.', simpleResolvers: true })
export class CrisisResource {
  @Computed(() => String, 'Name of the contact.')
  name!: string;

  @Computed(() => String, 'Telephone number, address or instruction.')
  contact!: string;
}

/** The same for the same text, whatever request brought it. It is returned to the writer alone and stored nowhere. */
@ObjectType({
  description: 'Safety level of what you wrote, with contacts for help. It is returned to you alone and is not stored.',
  simpleResolvers: true,
})
export class SafetyNotice {
  @Computed(() => SafetyLevel, 'Safety level of the text.')
  level!: SafetyLevel;

  @Computed(() => TriageLevel, 'Urgency of medical care; null where no illness is described.', { null: true })
  triageLevel!: TriageLevel | null;

  @Computed(() => String, 'Title that fits a notification and names no illness; null where there is nothing to say.', {
    null: true,
  })
  title!: string | null;

  @Computed(
    () => String,
    'Text with the contacts, in the language of the writer; null where there is nothing to say.',
    {
      null: true,
    },
  )
  text!: string | null;

  @Computed(() => [CrisisResource], 'Contacts for help; empty for the level `NONE`.')
  resources!: CrisisResource[];
}
