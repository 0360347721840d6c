import type { FieldCase } from './field-cost-table.ts';

/** Worst cases of fields of a person that no other table has. */
export function personFieldCases(): FieldCase[] {
  return [
    {
      field: 'Person.companionMessages',
      as: 'reader',
      document: '{ healthViewer { companionMessages(first: 100) { nodes { text createdAt } totalCount } } }',
      units: 2,
    },
    {
      field: 'Person.dataExport',
      as: 'reader',
      document: '{ healthViewer { dataExport { generatedAt } } }',
      units: 101,
    },
    {
      field: 'Person.fhirExport',
      as: 'reader',
      document: '{ healthViewer { fhirExport { mediaType } } }',
      units: 101,
    },
  ];
}
