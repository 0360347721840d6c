/** NOTIFY channel on which gateways learn that deliveries of an app were attempted. The payload is the number of the app. */
export const deliveryChannel = 'portico_deliveries';
