import type { VitalReferenceRange } from '../../../schema/health/vital-reference-range.ts';

const bloodPressure = {
  unit: 'mmHg',
  low: null,
  source: 'ACC/AHA guideline on high blood pressure in adults',
  year: 2017,
};

/** Typical for adults at rest, in the units of vital readings. */
export const vitalReferenceRanges: readonly VitalReferenceRange[] = [
  { measure: 'systolic_bp', ...bloodPressure, high: 119 },
  { measure: 'diastolic_bp', ...bloodPressure, high: 79 },
  {
    measure: 'heart_rate',
    unit: 'beats per minute',
    low: 60,
    high: 100,
    source: 'American Heart Association, All about heart rate',
    year: 2024,
  },
  {
    measure: 'oxygen_saturation',
    unit: '%',
    low: 95,
    high: 100,
    source: 'WHO, Pulse oximetry training manual',
    year: 2011,
  },
  {
    measure: 'temperature',
    unit: '°C',
    low: 36.1,
    high: 37.2,
    source: 'MedlinePlus, Body temperature norms',
    year: 2023,
  },
  {
    measure: 'blood_glucose',
    unit: 'mg/dL',
    low: 70,
    high: 99,
    source: 'American Diabetes Association, Standards of care in diabetes, after fasting',
    year: 2024,
  },
];
