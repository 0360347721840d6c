import type { VitalReferenceRange } from '../../../schema/health/vital-reference-range.ts';

/**
 * Normal is below 120 and below 80 mmHg. Read 2026-11-26 in the table of the MSD Manual after this guideline. Reports on its successor
 * of 2025 say that the categories stay.
 */
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
    // Read 2026-11-26: https://medlineplus.gov/ency/article/002341.htm, reviewed 2023-02-02.
    source: 'MedlinePlus, Vital signs',
    year: 2023,
  },
  {
    measure: 'oxygen_saturation',
    unit: '%',
    low: 95,
    high: 100,
    // Read 2026-11-26 in pages that quote it, of 2020. At sea level; diseases of the lungs lower what is usual.
    source: 'Mayo Clinic, Hypoxemia',
    year: 2020,
  },
  {
    measure: 'temperature',
    unit: '°C',
    low: 36.1,
    high: 37.2,
    // Read 2026-11-26: https://medlineplus.gov/ency/article/001982.htm, reviewed 2023-02-02.
    source: 'MedlinePlus, Body temperature norms',
    year: 2023,
  },
  {
    measure: 'blood_glucose',
    unit: 'mg/dL',
    low: 70,
    high: 99,
    // Read 2026-11-26: below 100 is normal after fasting (section 2), below 70 is hypoglycemia of level 1 (section 6).
    source: 'American Diabetes Association, Standards of care in diabetes, after fasting',
    year: 2024,
  },
];
