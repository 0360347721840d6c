import { Counter, Gauge, type Registry } from 'prom-client';
import type { PoolState } from '../db/connection-pool.ts';

/** What Prometheus may read of the connection pools of the database. */
export function registerPoolMetrics(registry: Registry, states: () => readonly PoolState[]): void {
  const registers = [registry];
  new Gauge({
    name: 'portico_database_connections',
    help: 'Database connections by pool: in use, idle, and the maximum.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { name: pool, total, idle, max } of states()) {
        this.set({ pool, state: 'used' }, total - idle);
        this.set({ pool, state: 'idle' }, idle);
        this.set({ pool, state: 'max' }, max);
      }
    },
  });
  new Gauge({
    name: 'portico_database_waiting',
    help: 'Statements and transactions that wait for a connection, by pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const { name: pool, waiting } of states()) this.set({ pool }, waiting);
    },
  });
  new Counter({
    name: 'portico_database_refused_total',
    help: 'Statements and transactions that got no connection, by pool and by whether the queue was full or the wait too long.',
    labelNames: ['pool', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { name: pool, refused } of states()) {
        this.inc({ pool, reason: 'queue_full' }, refused.queueFull);
        this.inc({ pool, reason: 'wait_timeout' }, refused.waitTimeout);
      }
    },
  });
}
