import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"

/**
 * A transaction's connection to a server. Statements without rows to read are sent before earlier answers have arrived,
 * so several share one round trip. If one fails, the next awaited statement or the commit fails with its error.
 */
export class SendsAhead implements Connection {
  readonly execute: Connection["execute"]
  readonly executeRaw: Connection["executeRaw"]
  readonly executeStream: Connection["executeStream"]
  readonly executeUnprepared: Connection["executeUnprepared"]
  readonly executeValues: Connection["executeValues"]
  /** Sends a statement. Returns the reason if it can't be sent at all. */
  readonly send: (text: string, values: ReadonlyArray<unknown>) => SqlError | undefined
  /** Collects the work to do after the commit; undefined if there is none. */
  readonly followers: Array<() => void> | undefined

  constructor(waiting: Connection, send: SendsAhead["send"], followers?: Array<() => void>) {
    this.execute = waiting.execute
    this.executeRaw = waiting.executeRaw
    this.executeStream = waiting.executeStream
    this.executeUnprepared = waiting.executeUnprepared
    this.executeValues = waiting.executeValues
    this.send = send
    this.followers = followers
  }
}
