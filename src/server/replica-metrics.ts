import { Counter, Gauge, type Registry } from 'prom-client';
import { replicaStates } from '../db/replicas/replica.ts';
import type { ReplicaSet } from '../db/replicas/replica-set.ts';

/** What Prometheus may read of the replicas. */
export function registerReplicaMetrics(registry: Registry, set: ReplicaSet): void {
  const registers = [registry];
  new Counter({
    name: 'portico_database_reads_total',
    help: 'Statements that read for requests outside of transactions, by the role of the server.',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset();
      this.inc({ server: 'primary' }, set.counts.primary);
      this.inc({ server: 'replica' }, set.counts.replica);
    },
  });
  new Counter({
    name: 'portico_replica_repeated_reads_total',
    help: 'Statements that failed on a replica and were repeated on the primary.',
    registers,
    collect() {
      this.reset();
      this.inc(set.counts.repeated);
    },
  });
  new Gauge({
    name: 'portico_replica_state',
    help: '1 for the state of each replica. Only one that is ready reads.',
    labelNames: ['replica', 'state'],
    registers,
    collect() {
      for (const replica of set.replicas)
        for (const state of replicaStates) this.set({ replica: replica.name, state }, replica.state === state ? 1 : 0);
    },
  });
  new Gauge({
    name: 'portico_replica_lag_seconds',
    help: 'Time for which commits of the primary may be missing on a replica, with the time since it was asked.',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const replica of set.replicas) this.set({ replica: replica.name }, replica.lagMs / 1_000);
    },
  });
  new Gauge({
    name: 'portico_replica_lag_bytes',
    help: 'Bytes of WAL that a replica has not replayed.',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const replica of set.replicas) this.set({ replica: replica.name }, set.lagBytes(replica));
    },
  });
  new Gauge({
    name: 'portico_replica_connections',
    help: 'Connections of requests to a replica: in use and idle.',
    labelNames: ['replica', 'state'],
    registers,
    collect() {
      for (const { name: replica, openPools } of set.replicas) {
        const states = openPools.map(({ state }) => state);
        const sum = (of: 'total' | 'idle'): number => states.reduce((all, one) => all + one[of], 0);
        this.set({ replica, state: 'used' }, sum('total') - sum('idle'));
        this.set({ replica, state: 'idle' }, sum('idle'));
      }
    },
  });
}
