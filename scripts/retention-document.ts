import type { TableRetention } from '../src/db/table-retention.ts';

/** The text of `docs/retention.md`. */
export function retentionDocument(tables: readonly TableRetention[]): string {
  const rows = tables.map(({ table, rows, job }) => `| \`${table}\` | ${rows} | ${job ? `\`${job}\`` : ''} |`);
  return `# How long rows stay

Printed from the declarations beside the classes (\`@Retained\`, \`@Personal\`) and from \`src/db/table-retention.ts\`; \`npm run print\` renews
it, and a test refuses a table that is not in it.

Jobs delete in batches: one short transaction each, whose number of rows follows the time that they take, with a pause after each. What an
interrupted run has deleted stays deleted, and the next run goes on. The erasure of deleted accounts is a job of its own
(\`account-erasure\`), every hour; \`portico_erasures_overdue\` and the alert \`PorticoErasureOverdue\` say when one is late.

| table | rows stay | deleted by |
|---|---|---|
${rows.join('\n')}
`;
}
