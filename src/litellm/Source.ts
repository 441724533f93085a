import { Data } from "effect"
import type { JsonObject } from "../contract/fields.ts"

/** LiteLLM's files or database can't be read. The message is one line for the operator, without secrets. */
export class UnreadableSource extends Data.TaggedError("UnreadableSource")<{ readonly message: string }> {}

/** Rows of LiteLLM's database, by their tables' short names. Of older versions, some tables and columns are absent. */
export type Rows = Readonly<Record<TableName, ReadonlyArray<JsonObject>>>

export type TableName =
  | "budgets"
  | "config"
  | "credentials"
  | "endUsers"
  | "keys"
  | "members"
  | "modelAliases"
  | "models"
  | "organizations"
  | "projects"
  | "tags"
  | "teams"
  | "users"

/** LiteLLM's settings: those of its file with those of its database, all opened. */
export interface Settings {
  readonly models: ReadonlyArray<Deployment>
  readonly router: JsonObject
  readonly litellm: JsonObject
  readonly general: JsonObject
  /** `environment_variables`. */
  readonly variables: JsonObject
  /** Sections that are not read. */
  readonly others: ReadonlyArray<string>
  /** `credential_list`, by `credential_name`. */
  readonly credentials: ReadonlyMap<string, JsonObject>
}

/** An entry of `model_list`. */
export interface Deployment {
  /** `model_list[0]`, or the id of its row. */
  readonly at: string
  readonly name: string
  readonly params: JsonObject
  readonly info: JsonObject
}
