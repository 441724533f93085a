import type { Exchange } from "./recorder.ts"

/** A gateway that Claude Code signs in at, behind a recorder, with people of a provider. */
export interface SignInServer {
  readonly name: "ours" | "reference"
  /** What a developer is told. */
  readonly url: string
  readonly exchanges: () => ReadonlyArray<Exchange>
  /** A person lets the program in that shows this code. */
  readonly approve: (code: string, person: string) => Promise<void>
  readonly deny: (code: string, person: string) => Promise<void>
  /** Sets the person's budget for the month. */
  readonly budget: (person: string, usd: number) => Promise<void>
  /** As if this had been spent of every budget. Absent at the reference, whose tables are its own. */
  readonly spend?: (usd: number) => Promise<void>
  /** The sign-in with this refresh token ends while its program runs. */
  readonly putOut: (person: string, refreshToken: string) => Promise<void>
  /** The provider is away, or back. */
  readonly provider: (is: "away" | "back", refreshToken: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** The message of a model that is answered by the fake upstream. */
export const models = ["claude-opus-4-7", "claude-haiku-4-5-20251001"] as const
