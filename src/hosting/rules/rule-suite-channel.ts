/** NOTIFY channel on which gateways learn that a repository has new rule suites. The payload is its number. */
export const ruleSuiteChannel = 'portico_rule_suites';
