import type { personalDataOf } from '../schema/vocabulary/personal-data.ts';

type PersonalData = NonNullable<ReturnType<typeof personalDataOf>>;

const inExportOf = ({ inExport }: PersonalData): string =>
  typeof inExport === 'string' ? inExport : inExport.map(key => `\`${key}\``).join(', ');

/**
 * The text of `docs/privacy.md`.
 * @param data what tables have of people, in the order of `entities.ts`
 * @param purposes the sentences that people consent to
 */
export function privacyDocument(data: readonly PersonalData[], purposes: Readonly<Record<string, string>>): string {
  const rows = data.map(
    one =>
      `| ${one.what} | to ${one.purpose} | ${one.kept} | ${one.seenBy} | ${inExportOf(one)} | ${one.left ?? 'nothing'} |`,
  );
  const consents = Object.entries(purposes).map(([purpose, text]) => `| \`${purpose}\` | ${text} |`);
  return `# What the health companion stores about people

Printed from the declarations beside the tables (\`schema/health/\`) and from \`src/health/consents/purposes.ts\`; \`npm run print\` renews
it, and a test compares it with the database. An operator repeats it in the privacy notice of the offer, with names and addresses.

## Data

All of it is in one database. The operator, who runs the service, can read it. Copies of the database (backups) are kept as long as the
operator decides; they are encrypted, that is, unreadable without a key, where the operator has set one.
Logs, in which the service notes what it does, have no texts of people. *Recipients* in this table are people and services other than you and the
operator. A *language model* is a program of another company, the *provider*, that writes answers; many installations use none. The words in
\`this type\` are the names of the parts of the file that you can download.

| data | purpose | retention | recipients | in the export | kept after erasure |
|---|---|---|---|---|---|
${rows.join('\n')}

## Your rights

Two pages do this without any program: \`/health/data\` (a copy, who has read it, deletion) and \`/health/privacy\` (what others see, consents).
The table at the end has what apps use instead.

- **A copy of all.** You download all of the table above as one file, except secrets, such as your password, and decisions of others. A second file has the
  health data in the format that clinics read (HL7 FHIR R4).
- **Who has read it.** You see the days on which a moderator or the operator read your data by way of the service. Reads by a moderator are listed
  after 30 days: an entry at once would reveal a report to the person it is about. What the operator reads in the database
  itself, or in a backup, is not in the list.
- **Correction.** You change your profile in the app. If a new date of birth makes an adult of a person below 18, or the reverse, it waits
  for a moderator.
- **Deletion.** You are logged out everywhere at once, all consents end, you leave all groups, and your name is hidden. The data is erased
  30 days later; the operator can choose another number of days. Guests who have not come for 30 days are deleted.
- **Proof.** A mail says that the account was deleted, when its data is erased, and the number of the account. After the erasure the number and the
  date remain, without a name. With the number the operator finds the date and confirms it.
- **Copies.** A backup that was made before the erasure has the data until the operator deletes that backup. If the database is made anew from such a
  backup, the erasure is done again in the next night. An account that was deleted after the backup was made has to be deleted again.

## Consents

Some things happen only with your consent. You give it for each purpose by itself, and withdraw it at any time, with effect at once: an
answer that a language model is writing ends, and nothing more is sent. \`/health/privacy\` lists all decisions with their dates.

| purpose | what a person reads |
|---|---|
${consents.join('\n')}

## Recipients

Without a language model nothing leaves the installation. With one, its provider receives the messages of people who have consented, and
no others. Mails go through the mail server of the operator.

## For apps and operators

| what | REST | graph, or setting |
|---|---|---|
| a copy of all | \`GET /auth/me/export/\`, \`GET /auth/me/export/fhir/\` | \`dataExport\`, \`fhirExport\` |
| who has read it | \`GET /auth/me/data-accesses/\` | \`dataAccesses\` |
| consents | \`GET /auth/me/consents/\`, and \`PATCH /auth/me/\` | \`consents\`, \`updateHealthProfile\` |
| correction | \`PATCH /auth/me/\` | \`updateHealthProfile\` |
| deletion, and days until the erasure | \`DELETE /auth/me/delete/\` | \`deleteHealthAccount\`, \`ERASE_AFTER_DAYS\` |
| proof of an erasure | | \`portico erasure <number>\` |
| the language model | | \`AI_BASE_URL\` |
| encrypted backups | | \`BACKUP_KEY\` |
`;
}
