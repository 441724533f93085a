import { readFileSync, statSync } from "node:fs"
import { Effect } from "effect"
import { LineCounter, parseDocument } from "yaml"
import { ruleOf } from "../config/document.ts"
import { isObject } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import { UnreadableSource } from "./Source.ts"

/** LiteLLM's own files are a few kilobytes; this many would hold up the parser for a second. */
const mostBytes = 4_000_000

/** Reads LiteLLM's `config.yaml`. */
export const readFile = (path: string): Effect.Effect<JsonObject, UnreadableSource> =>
  Effect.flatMap(
    Effect.try({
      try: () => {
        const { size } = statSync(path)
        return size > mostBytes ? size : readFileSync(path, "utf8")
      },
      catch: () => new UnreadableSource({ message: `${path}: there is no such file, or it can't be read` })
    }),
    (text) =>
      typeof text === "number"
        ? new UnreadableSource({
            message: `${path}: expected at most ${mostBytes / 1e6} MB; it has ${Math.ceil(text / 1e6)}`
          })
        : parse(path, text)
  )

const parse = (path: string, text: string): Effect.Effect<JsonObject, UnreadableSource> => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, merge: true })
  const [broken] = document.errors
  if (broken !== undefined) {
    return new UnreadableSource({ message: `${path}:${lines.linePos(broken.pos[0]).line}: ${ruleOf(broken)}` })
  }
  // Aliases that name aliases would unfold to gigabytes.
  const value = Effect.try({
    try: (): unknown => document.toJS({ maxAliasCount: 1_000 }),
    catch: () => new UnreadableSource({ message: `${path}: it has too many YAML aliases` })
  })
  return Effect.flatMap(value, (value) => {
    if (!isObject(value)) {
      return new UnreadableSource({ message: `${path}: expected LiteLLM's config.yaml, a mapping with model_list` })
    }
    if ("upstreams" in value) {
      return new UnreadableSource({ message: `${path}: is a gateway.yaml; expected LiteLLM's config.yaml` })
    }
    return Effect.succeed(value)
  })
}
