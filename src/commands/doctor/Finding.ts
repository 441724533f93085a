import { isSet } from "../../config/secretVariable.ts"
import type { GatewaySettings } from "../../config/Settings.ts"

/** The result of a check. */
export interface Finding {
  /** The subject: `database`, `upstream openai`. */
  readonly check: string
  readonly level: "ok" | "warning" | "problem"
  readonly message: string
  /** The remedy, with the setting to change; null if nothing is to be done. */
  readonly remedy: string | null
}

export const ok = (check: string, message: string): Finding => ({ check, level: "ok", message, remedy: null })

export const warning = (check: string, message: string, remedy: string | null): Finding => ({
  check,
  level: "warning",
  message,
  remedy
})

export const problem = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: "problem",
  message,
  remedy
})

/** The setting that is in force: the variable if the environment has it, otherwise the field of `gateway.yaml`. */
export const settingOf = (
  { environment }: Pick<GatewaySettings, "environment">,
  field: string,
  variable: string
): string => [variable, `${variable}_FILE`].find((name) => isSet(environment, name)) ?? field
