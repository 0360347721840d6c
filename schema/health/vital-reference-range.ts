import { Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';

export const VitalMeasure = {
  SYSTOLIC_BP: 'systolic_bp',
  DIASTOLIC_BP: 'diastolic_bp',
  HEART_RATE: 'heart_rate',
  OXYGEN_SATURATION: 'oxygen_saturation',
  TEMPERATURE: 'temperature',
  BLOOD_GLUCOSE: 'blood_glucose',
} as const;
export type VitalMeasure = (typeof VitalMeasure)[keyof typeof VitalMeasure];
registerEnumType(VitalMeasure, { name: 'VitalMeasure', description: 'Measured vital sign.' });

@ObjectType({
  description: 'Range of a vital sign that is typical for adults at rest. Not a diagnosis.',
  simpleResolvers: true,
})
export class VitalReferenceRange {
  @Computed(() => VitalMeasure, 'Vital sign that the range is of.') measure!: VitalMeasure;
  @Computed(() => String, 'Unit of the values.') unit!: string;
  @Computed(() => Float, 'Lowest typical value; null where the source states none.', { null: true })
  low!: number | null;
  @Computed(() => Float, 'Highest typical value; null where the source states none.', { null: true })
  high!: number | null;
  @Computed(() => String, 'Publication that states the range.') source!: string;
  @Computed(() => Int, 'Year of the publication.') year!: number;
}
