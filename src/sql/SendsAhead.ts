import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"

/**
 * A transaction's connection to a server: what nobody reads an answer of may be sent before the answers of those before it
 * have come, so that several statements are one trip. What fails fails the next one that is waited for, at last the commit.
 */
export class SendsAhead implements Connection {
  readonly execute: Connection["execute"]
  readonly executeRaw: Connection["executeRaw"]
  readonly executeStream: Connection["executeStream"]
  readonly executeUnprepared: Connection["executeUnprepared"]
  readonly executeValues: Connection["executeValues"]
  /** Sends a statement; answers why it can't be sent at all. */
  readonly send: (text: string, values: ReadonlyArray<unknown>) => SqlError | undefined
  /** Collects the work that follows the commit; undefined if there is none. */
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
