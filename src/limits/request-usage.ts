/**
 * Database time, CPU time of other processes and bytes that one request has used. Charged to the caller every second while the request
 * runs, and when its response has ended.
 */
export class RequestUsage {
  /** Microseconds from sending a statement to its last row, without the wait for a connection. Concurrent statements add up. */
  databaseMicroseconds = 0;
  /** Microseconds of CPU time of child processes, such as git. */
  childCpuMicroseconds = 0;
  /** Bytes written to the client, headers included. */
  bytesSent = 0;
  /** Adds what is counted elsewhere, such as the bytes of a socket, until now. */
  update: () => void = () => {};
}
