import { ProblemError } from 'operation-rest';
import { importText, isRunning, progressOf, type SourceImportState } from '../hosting/import-state.ts';
import type { PageInfo } from '../hosting/next-page.tsx';
import type { Dashboard } from './dashboard.tsx';

interface ImportsBody {
  login: string;
  /** Null for others than administrators of the organization. */
  hooks: object | null;
  repositories: {
    pageInfo: PageInfo;
    nodes: readonly {
      name: string;
      resourcePath: string;
      viewerCanAdminister: boolean;
      sourceImport: (SourceImportState & { sourceUrl: string; vcs: string | null }) | null;
    }[];
  };
}

/** `/orgs/{org}/dashboards/imports`. @throws ProblemError `not-found` for others than administrators, of the organization or of a repository of the page */
export function organizationImports({ login, hooks, repositories }: ImportsBody, query: URLSearchParams): Dashboard {
  const { nodes, pageInfo } = repositories;
  if (!hooks && !nodes.some(one => one.viewerCanAdminister))
    throw new ProblemError({ kind: 'not-found', reason: 'absent' });
  const imported = nodes.flatMap(one => (one.sourceImport ? [{ ...one, sourceImport: one.sourceImport }] : []));
  const running = imported.filter(one => isRunning(one.sourceImport)).length;
  const after = query.get('after');
  return {
    title: 'Source imports',
    owner: { name: login, path: `/${login}` },
    periods: [],
    summary: `${imported.length} of the ${nodes.length} repositories on this page were imported; ${running} imports are running.`,
    sections: [
      {
        heading: 'Imports',
        table: {
          name: 'imports',
          caption: 'Repositories with an import, the newest push first',
          columns: [
            { name: 'Repository', type: 'text' },
            { name: 'Source', type: 'text' },
            { name: 'Status', type: 'text' },
            { name: 'Progress', type: 'progress' },
            { name: 'Commits', type: 'number' },
          ],
          rows: imported.map(({ name, sourceImport }) => [
            name,
            sourceImport.sourceUrl,
            importText(sourceImport),
            progressOf(sourceImport),
            sourceImport.commitCount,
          ]),
          links: imported.map(({ resourcePath }) => `${resourcePath}/import`),
        },
      },
    ],
    pageInfo,
    isLive: running > 0,
    variables: { org: login, ...(after === null ? {} : { after }) },
  };
}
