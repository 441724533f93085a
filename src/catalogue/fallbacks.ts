import { Either } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { FallbackReason } from "../contract/records/FallbackReason.ts"
import type { Fallbacks } from "../contract/records/FallbackReason.ts"
import type { ModelEntry } from "./Catalogue.ts"
import type { ModelMap } from "./ModelMap.ts"
import { listsModels } from "./modelWarnings.ts"
import { calledModels, kinds } from "../contract/kinds.ts"

type Written = { readonly [reason in FallbackReason]?: string | ReadonlyArray<string> | undefined }

/** The fallbacks of an entry, each as a list; undefined if it has none. */
export const fallbacksOf = (written: Written | undefined): Fallbacks | undefined => {
  const lists = FallbackReason.literals.flatMap((reason) => {
    const models = written?.[reason]
    return models === undefined ? [] : [[reason, typeof models === "string" ? [models] : models] as const]
  })
  return lists.length === 0 ? undefined : Object.fromEntries(lists)
}

/** Refuses fallbacks that are unknown, of another kind, or lead back to their model by whatever names. */
export const checkFallbacks = (
  file: Located<GatewayFile>,
  models: ModelMap<ModelEntry>
): Either.Either<void, BadSettings> => {
  const { models: entries = {} } = file.value
  const complain = (id: string, rule: string, ...field: ReadonlyArray<string>) =>
    Either.left(
      file.complain(["models", id, "fallbacks", ...field], `models.${[id, "fallbacks", ...field].join(".")}: ${rule}`)
    )

  /** The key in `models` that a name leads to. */
  const entryOf = (name: string): string => {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
    if (typeof entry === "object" && "alias" in entry) return entryOf(entry.alias)
    return models.has(name) ? name : (models.patternOf(name) ?? name)
  }
  const writtenOf = (id: string): Fallbacks | undefined => {
    const entry = Object.hasOwn(entries, id) ? entries[id] : undefined
    return typeof entry === "object" && "fallbacks" in entry ? fallbacksOf(entry.fallbacks) : undefined
  }

  /** The names that lead from an entry back to it; undefined if none do. */
  const loopTo = (id: string): string | undefined => {
    const seen = new Set<string>()
    const visit = (from: string, path: string): string | undefined => {
      for (const name of new Set(Object.values(writtenOf(from) ?? {}).flat())) {
        const entry = entryOf(name)
        const longer = `${path} → ${entry === name ? name : `${name} (${entry})`}`
        if (entry === id) return longer
        if (seen.has(entry)) continue
        seen.add(entry)
        const found = visit(entry, longer)
        if (found !== undefined) return found
      }
      return undefined
    }
    return visit(id, id)
  }

  for (const id of Object.keys(entries)) {
    const kind = models.get(id)?.kind
    const fallbacks = writtenOf(id)
    if (fallbacks === undefined) continue
    if (kind !== undefined && kinds[kind].work === "task") return complain(id, `only ${calledModels} have fallbacks`)
    for (const reason of FallbackReason.literals) {
      for (const name of fallbacks[reason] ?? []) {
        if (name.includes("*")) return complain(id, "a wildcard can't be a fallback", reason)
        const model = models.get(name)
        if (model === undefined) {
          if (listsModels(file.value)) continue
          return complain(id, `there is no model "${name}"`, reason)
        }
        if (model.kind !== kind) return complain(id, `"${name}" is a model for ${model.kind}, not ${kind}`, reason)
      }
    }
    const loop = loopTo(id)
    if (loop !== undefined) return complain(id, `they lead back: ${loop}`)
  }
  return Either.void
}
