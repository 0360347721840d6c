import type { JSX } from 'preact';
import { NextPage, type PageInfo } from '../hosting/next-page.tsx';
import { Layout } from '../layout.tsx';
import { Live } from '../live.tsx';
import { Chart } from './chart.tsx';
import type { ChartData } from './chart-data.ts';
import { type DataTable, DataTableView } from './data-table.tsx';
import type { Variables } from './explorer-query.ts';

export interface Period {
  label: string;
  /** Query of the address: `days=7`. */
  query: string;
  isShown: boolean;
}

export interface Section {
  heading: string;
  /** Absent where a chart would be of nothing. */
  chart?: ChartData | undefined;
  table: DataTable;
}

/** A page of numbers. */
export interface Dashboard {
  title: string;
  /** The page of what the numbers are of. */
  owner: { name: string; path: string };
  /** Pages beside it, itself included; absent where there are none. */
  related?: readonly { name: string; path: string }[];
  periods: readonly Period[];
  /** What the periods are, if they are none. */
  choices?: string;
  /** The numbers in one sentence. */
  summary: string;
  sections: readonly Section[];
  /** Of the list that has pages; absent where none has. */
  pageInfo?: PageInfo;
  /** Whether its numbers change by themselves within seconds. */
  isLive?: boolean;
  /** Values of the variables of its query. */
  variables: Variables;
}

/** A longer table below a chart is folded up. */
const maxOpenRows = 12;

/** Makes a dashboard of the body of a result and the query of the address. @throws ProblemError if the body lacks what the page is about */
export type DashboardOf<Body> = (body: Body, query: URLSearchParams, now: Date) => Dashboard;

export function DashboardPage({ dashboard, explorer }: { dashboard: Dashboard; explorer: string }): JSX.Element {
  const {
    title,
    owner,
    related = [],
    periods,
    choices = 'Period',
    summary,
    sections,
    pageInfo,
    isLive = false,
    variables,
  } = dashboard;
  const shown = periods.find(({ isShown }) => isShown)?.query;
  const base = !shown ? '?' : `?${shown}&`;
  const { after } = variables;
  // The rows that are shown, and not those of the first page.
  const csv = `${base}${after === undefined ? '' : `after=${encodeURIComponent(after)}&`}format=csv`;
  return (
    <Layout title={`${title} · ${owner.name}`}>
      <p class="muted">
        <a href={owner.path}>{owner.name}</a>
      </p>
      <h1>{title}</h1>
      {related.length > 0 && (
        <nav class="sections" aria-label={owner.name}>
          {related.map(({ name, path }) => (
            <a key={path} href={path} aria-current={name === title ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      )}
      {periods.length > 0 && (
        <nav class="sections" aria-label={choices}>
          {periods.map(({ label, query, isShown }) => (
            <a key={query} href={`?${query}`} aria-current={isShown ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
      )}
      <Live isLive={isLive}>
        <p>{summary}</p>
        {sections.map(({ heading, chart, table }) => (
          <section key={table.name} aria-labelledby={`${table.name}-heading`}>
            <h2 id={`${table.name}-heading`}>{heading}</h2>
            {table.rows.length === 0 ? (
              <p class="muted">Nothing in this period.</p>
            ) : (
              <>
                {chart && <Chart data={chart} />}
                {chart && !table.isOpen && table.rows.length > maxOpenRows ? (
                  <details>
                    <summary>Table of {table.rows.length} rows</summary>
                    <DataTableView table={table} />
                  </details>
                ) : (
                  <DataTableView table={table} />
                )}
                <p>
                  <a href={`${csv}&table=${table.name}`}>Download as CSV</a>
                </p>
              </>
            )}
          </section>
        ))}
      </Live>
      {pageInfo && <NextPage pageInfo={pageInfo} base={base} />}
      <details>
        <summary>The query of this page</summary>
        <p>
          <a href={`/graphiql#query=${encodeURIComponent(explorer)}`}>Open in the GraphQL explorer</a>, which needs a
          token in its headers.
        </p>
        <pre>{explorer}</pre>
      </details>
    </Layout>
  );
}
