import { Data } from "effect"

/** A request to an upstream, as far as it may be signed. */
export interface CallToSign {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if it has none, or if it is a form, which no signature covers. */
  readonly body: string | undefined
}

/** Proves to an upstream who calls, with credentials that end. */
export interface Auth {
  /** The headers that authenticate a call. Rejects with `NoCredentials`. */
  readonly headers: (call: CallToSign) => Promise<Readonly<Record<string, string>>>
  /**
   * Learns from an answer 401 or 403 to a call with those headers: the credentials may have been revoked, or this
   * machine's clock may be wrong.
   *
   * @returns true if the call should be sent once more, with new headers
   */
  readonly refused: (used: Readonly<Record<string, string>>, answer: Headers) => Promise<boolean>
  /** The secrets that calls under way may have, to cut from upstreams' words: some repeat what was signed. */
  readonly secrets: () => ReadonlyArray<string>
  /** The identity behind the credentials, for operators; no secret. Rejects with `NoCredentials`. */
  readonly identity: () => Promise<string>
}

/** There are no credentials, and why. The message is for operators. */
export class NoCredentials extends Data.TaggedError("NoCredentials")<{
  readonly message: string
  /** Their service does not answer, or fails: they may come. */
  readonly isOutage?: boolean
}> {}
