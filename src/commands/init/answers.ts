import { Either } from "effect"
import { wrongBaseUrl } from "../../config/baseUrl.ts"
import { providerNamed, providerNames, providerRow } from "../../config/providers/providers.ts"
import type { ProviderName } from "../../config/providers/providers.ts"
import { closest } from "../../config/warnings.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"

/** A place for models to run. */
export type Provider =
  /** A provider of the table, by the name that was written. */
  | { readonly kind: "provider"; readonly name: string; readonly row: ProviderName }
  /** A server of the chat-completions dialect, by its address. */
  | { readonly kind: "server"; readonly name: string; readonly baseUrl: string }

/** A caller, and the variable of its key. */
export interface Caller {
  readonly name: string
  readonly variable: string
}

/** The answers to the four questions. */
export interface Answers {
  readonly providers: ReadonlyArray<Provider>
  /** Dollars for each caller; undefined is unlimited. */
  readonly balanceUsd: number | undefined
  readonly callers: ReadonlyArray<Caller>
  /** True to fetch the public prices every day. */
  readonly refreshesPrices: boolean
}

const words = (text: string) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

const complain = (param: string, rule: string) =>
  Either.left(new InvalidRequest({ param, message: `--${param}: ${rule}` }))

/** Reads a list such as `anthropic, http://127.0.0.1:8000/v1`. An empty list is the sandbox alone. */
export const providersOf = (text: string): Either.Either<ReadonlyArray<Provider>, InvalidRequest> => {
  const providers: Array<Provider> = []
  for (const word of words(text)) {
    const name = word.toLowerCase()
    const row = providerNamed(name)
    if (row !== undefined && providerRow(row).origin !== undefined) {
      if (!providers.some((one) => one.kind === "provider" && one.name === name)) {
        providers.push({ kind: "provider", name, row })
      }
      continue
    }
    const wrong = /^https?:\/\//.test(word) ? wrongBaseUrl(word) : unknown(name)
    if (wrong !== undefined) return complain("providers", `${wrong}; got "${word}"`)
    const count = providers.filter(({ kind }) => kind === "server").length
    providers.push({ kind: "server", name: count === 0 ? "server" : `server-${count + 1}`, baseUrl: word })
  }
  return Either.right(providers)
}

const unknown = (name: string): string => {
  const near = closest(name, providerNames)
  const meant = near === undefined ? "" : `; is ${near} meant?`
  return `expected providers as \`gateway providers\` lists them, or addresses${meant}`
}

/** Dollars; undefined for an empty text or `none`. */
export const balanceOf = (text: string): Either.Either<number | undefined, InvalidRequest> => {
  const word = text.trim().replace(/^\$/, "")
  if (word === "" || word === "none") return Either.right(undefined)
  return /^\d{1,6}(\.\d{1,2})?$/.test(word) && Number(word) > 0
    ? Either.right(Number(word))
    : complain("spend", `expected dollars such as 20 or 12.50, or none; got "${text}"`)
}

export const pricesOf = (text: string): Either.Either<boolean, InvalidRequest> => {
  const word = text.trim().toLowerCase()
  return word === "daily" || word === "built-in"
    ? Either.right(word === "daily")
    : complain("prices", `expected daily or built-in; got "${text}"`)
}

export const callersOf = (text: string): Either.Either<ReadonlyArray<Caller>, InvalidRequest> => {
  const names = words(text)
  const wrong = names.find((name) => !/^[A-Za-z0-9][A-Za-z0-9._-]{0,40}$/.test(name))
  if (wrong !== undefined) {
    return complain("callers", `expected names of letters, digits, dots, dashes and underscores; got "${wrong}"`)
  }
  const callers = [...new Set(names)].map((name) => ({
    name,
    variable: `${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_GATEWAY_KEY`
  }))
  return new Set(callers.map(({ variable }) => variable)).size === callers.length
    ? Either.right(
        callers.map((caller) => (/^\d/.test(caller.variable) ? { ...caller, variable: `K${caller.variable}` } : caller))
      )
    : complain("callers", "expected names that differ in letters or digits")
}
