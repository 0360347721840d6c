import { numberedNode } from '../../context/node-kind.ts';
import { findLiveAds } from './ads.queries.ts';

/** Live ads. A look-up is no impression. */
export const adNode = numberedNode({ type: 'Ad', access: 'account', load: findLiveAds });
