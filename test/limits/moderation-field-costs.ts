import type { FieldCase } from './field-cost-table.ts';

/** Worst cases of moderation and of requests to join groups. The reader is a moderator. */
export function moderationFieldCases(): FieldCase[] {
  const person = '{ fullName profilePicture }';
  return [
    {
      field: 'Query.reports',
      as: 'reader',
      document: `{ reports(first: 100) { nodes { id kind reason text content reporter ${person} accused ${person} } totalCount } }`,
      units: 10,
    },
    {
      field: 'Query.moderationEvents',
      as: 'reader',
      document: `{ moderationEvents(first: 100) { nodes { action note person ${person} moderator ${person} } totalCount } }`,
      units: 10,
    },
    {
      field: 'Query.contactSummaries',
      as: 'reader',
      document: `{ contactSummaries(days: 365) { person ${person} isAdult refusedAttempts refusedPeople requests blockers } }`,
      units: 50,
    },
    {
      field: 'Query.heldAges',
      as: 'reader',
      document: `{ heldAges { person ${person} isAdult bornOn heldAt } }`,
      units: 10,
    },
    {
      field: 'Person.consents',
      as: 'reader',
      document: '{ healthViewer { consents { purpose subject text provider givenAt } } }',
      units: 3,
    },
    {
      field: 'Person.sessions',
      as: 'reader',
      document: '{ healthViewer { sessions(first: 100) { nodes { device createdAt isCurrent } totalCount } } }',
      units: 2,
    },
    {
      field: 'Person.dataAccesses',
      as: 'reader',
      document: '{ healthViewer { dataAccesses(first: 100) { nodes { reader subject readCount } totalCount } } }',
      units: 2,
    },
    {
      field: 'Person.groupEntries',
      as: 'reader',
      document: `{ healthViewer { groupEntries(first: 100) { nodes { kind person ${person} } totalCount } } }`,
      units: 51,
    },
  ];
}
