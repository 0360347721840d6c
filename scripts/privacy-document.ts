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

Everything is in the database of the installation, which its operator can read, and in the operator's backups for as long as those are kept,
encrypted where the operator has set a key (\`BACKUP_KEY\`).
Logs have no texts of people. Recipients are people and services other than you and the operator.

| data | purpose | retention | recipients | in the export | kept after erasure |
|---|---|---|---|---|---|
${rows.join('\n')}

## Your rights

- **A copy of all.** \`GET /auth/me/export/\`, or \`dataExport\` in the graph, answers with all of the table above as one document, except secrets and
  decisions of others, as the table says. \`GET /auth/me/export/fhir/\`, or \`fhirExport\`, answers with the health data in the format of clinics, HL7 FHIR R4.
- **Who has read it.** \`GET /auth/me/data-accesses/\`, or \`dataAccesses\` in the graph, lists the days on which a moderator or an operator
  read your data. Reads for moderation are listed after 30 days: listed at once, they would reveal a report to the person it is about. What an
  operator reads in the database directly, or in a backup, is not in the list.
- **Correction.** \`PATCH /auth/me/\` changes the profile. A change of the date of birth across the age of 18 waits for a moderator.
- **Deletion.** \`DELETE /auth/me/delete/\` ends all sessions at once, withdraws all consents, takes you out of all groups and hides your
  name. The data is erased after \`ERASE_AFTER_DAYS\` days, 30 by default. Guests who have not come for 30 days are deleted.
- **Proof.** A mail says that the account was deleted, when its data is erased, and the number of the account. After the erasure the number and the
  date remain, without a name: the operator looks them up by the number (\`portico erasure <number>\`) and confirms them.
- **Copies.** A backup that was made before the erasure has the data until the operator deletes that backup. After a restore the erasure is done
  again at night, because the backup has the date of the deletion; an account that was deleted after the backup has to be deleted again. Logs have no names and no texts of people.

## Consents

What needs a consent happens only while it is in force: it is read again for each message. \`GET /auth/me/consents/\` and the page \`/health/privacy\` list the decisions, and the
profile withdraws them, with effect at once.

| purpose | what a person reads |
|---|---|
${consents.join('\n')}

## Recipients

Without a configured language model nothing leaves the installation. With one (\`AI_BASE_URL\`), its provider receives messages of people who
have consented, and nobody else's. Mails go through the operator's mail server.
`;
}
