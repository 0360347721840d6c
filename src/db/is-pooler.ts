import type pg from 'pg';
import { readServerReport } from './server-report.ts';

/** Whether a pooler answers at this address. @throws the error of connecting */
export const isPooler = async (connection: pg.ClientConfig): Promise<boolean> =>
  (await readServerReport(connection)).isPooler;
