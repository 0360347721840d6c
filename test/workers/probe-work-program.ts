import { serveWork } from '../../src/workers/serve-work.ts';
import { probeWork } from './probe-work.ts';

serveWork([probeWork], () => ({ read: async () => [] }));
