import type { WrittenBudget } from "../contract/budgets/WrittenBudget.ts"
import type { Limits } from "../contract/callers/Caller.ts"

/** Something of LiteLLM's that does not come along, or not as it was. */
export interface Note {
  /** Its place: `model_list[2].litellm_params.temperature`, `key "ci"`. */
  readonly at: string
  readonly why: string
}

/** A budget, with what was used in the window that runs. */
export interface PlannedBudget {
  readonly written: WrittenBudget
  readonly usedNanoUsd: number
  /** When the use no longer counts, in Unix ms, of a rolling window; otherwise its own calendar says it. */
  readonly leavesAtMs: number | undefined
}

export interface PlannedAccount {
  readonly id: string
  /** Its place at LiteLLM, `team 0f8a…`: names change, and two teams may have the same. */
  readonly place: string
  /** Its name at LiteLLM: `team "Search" (0f8a…)`. */
  readonly from: string
  /** null: all. */
  readonly models: ReadonlyArray<string> | null
  readonly limits: Limits
  readonly budgets: ReadonlyArray<PlannedBudget>
  readonly suspended: boolean
}

export interface PlannedKey {
  readonly account: string
  readonly name: string
  /** SHA-256 of the secret in hex, which both programs store. */
  readonly hash: string
  /** The last four characters of the secret; empty if they aren't known. */
  readonly hint: string
  readonly models: ReadonlyArray<string>
  readonly limits: Limits
  readonly budgets: ReadonlyArray<PlannedBudget>
  readonly expiresAtMs: number | undefined
  readonly blocked: boolean
}

/** Accounts and keys to be made. */
export interface PlannedAccess {
  readonly accounts: ReadonlyArray<PlannedAccount>
  readonly keys: ReadonlyArray<PlannedKey>
}

/** All that an import would do. */
export interface Plan extends PlannedAccess {
  /** The text of `gateway.yaml`. */
  readonly configuration: string
  /** Variables that it names, with their values if LiteLLM's files or database had them. */
  readonly secrets: ReadonlyMap<string, string>
  readonly models: ReadonlyArray<PlannedModel>
  readonly notes: ReadonlyArray<Note>
}

export interface PlannedModel {
  readonly name: string
  /** `vllm: qwen3-32b`, in the order in which they are tried; of an alias its target. */
  readonly routes: ReadonlyArray<string>
}
