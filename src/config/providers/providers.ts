import { clouds } from "./clouds.ts"
import type { ProviderRow } from "./ProviderRow.ts"
import { servers } from "./servers.ts"
import { services } from "./services.ts"

/**
 * The providers that the gateway knows, by the name of the setting `provider`. A new one is a row. The order decides
 * which of two providers serves a model without a file.
 */
export const providers = { ...services, ...clouds, ...servers } satisfies Readonly<Record<string, ProviderRow>>

export type ProviderName = keyof typeof providers

/** Other names of rows. */
const aliases: Readonly<Record<string, ProviderName>> = { dashscope: "qwen", ark: "volcengine" }

const isProviderName = (name: string): name is ProviderName => Object.hasOwn(providers, name)

/** The row's name for a name that an operator wrote, otherwise undefined. */
export const providerNamed = (name: string): ProviderName | undefined => {
  if (isProviderName(name)) return name
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined
}

/** The names of the rows, in order. */
export const rowNames: ReadonlyArray<ProviderName> = Object.keys(providers).filter(isProviderName)

/** The names that `provider` takes. */
export const providerNames: ReadonlyArray<string> = [...rowNames, ...Object.keys(aliases)]

/** Other names of a row. */
export const otherNames = (name: ProviderName): ReadonlyArray<string> =>
  Object.keys(aliases).filter((alias) => aliases[alias] === name)

/** A row by name. */
export const providerRow = (name: ProviderName): ProviderRow => providers[name]

/** The provider of an address, by its host. */
export const providerAt = (baseUrl: string): ProviderName | undefined => {
  const host = URL.parse(baseUrl)?.hostname ?? ""
  return byHost.find(([end]) => host === end || host.endsWith(end.startsWith("-") ? end : `.${end}`))?.[1]
}

/** The provider of an entry: of its host, otherwise the one that it names. */
export const providerOfEntry = (baseUrl: string, named: string | undefined): ProviderName | undefined =>
  providerAt(baseUrl) ?? (named === undefined ? undefined : providerNamed(named))

const byHost: ReadonlyArray<readonly [end: string, name: ProviderName]> = rowNames
  .flatMap((name) => providerRow(name).hosts.map((end) => [end, name] as const))
  // The longest end is the most particular one.
  .toSorted(([one], [other]) => other.length - one.length)
