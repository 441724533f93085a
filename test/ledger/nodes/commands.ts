import type { Budget } from "../../../src/contract/budgets/Budget.ts"

/** What a worker is told. */
export type Command =
  | {
      readonly do: "hold"
      readonly account: string
      /** Requests at once, and what each may cost. */
      readonly count: number
      readonly dollars: number
      /** What the key may spend in a day, in dollars. */
      readonly budget?: number
      /** The key's budgets instead of that one. */
      readonly budgets?: ReadonlyArray<Budget>
    }
  /** Ends all that is held, with what each has cost; without it nothing is paid for. */
  | { readonly do: "settle"; readonly dollars?: number }
  /** Which node it is now. */
  | { readonly do: "id" }

/** What became of each. */
export type Answer = ReadonlyArray<string>
