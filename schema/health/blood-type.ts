import { registerEnumType } from 'type-graphql';

/** Blood groups with or without the Rh sign. The REST contract publishes the internal values: `A+` is no name in GraphQL. */
export const BloodType = {
  A: 'A',
  A_POSITIVE: 'A+',
  A_NEGATIVE: 'A-',
  B: 'B',
  B_POSITIVE: 'B+',
  B_NEGATIVE: 'B-',
  AB: 'AB',
  AB_POSITIVE: 'AB+',
  AB_NEGATIVE: 'AB-',
  O: 'O',
  O_POSITIVE: 'O+',
  O_NEGATIVE: 'O-',
} as const;
export type BloodType = (typeof BloodType)[keyof typeof BloodType];
registerEnumType(BloodType, { name: 'BloodType', description: 'Blood group, with the Rh sign if it is known.' });
