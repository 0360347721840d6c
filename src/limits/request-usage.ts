/** Database time and bytes that one request has used. Charged to the caller when the response has ended. */
export class RequestUsage {
  /** Microseconds from sending a statement to its last row, without the wait for a connection. Concurrent statements add up. */
  databaseMicroseconds = 0;
  /** Bytes written to the client, headers included. */
  bytesSent = 0;
}
