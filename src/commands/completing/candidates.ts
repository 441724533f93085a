import { Effect } from "effect"
import type { Entry } from "../frame/Entry.ts"
import type { Group, Leaf } from "../frame/leaf.ts"

/** A completion and its description. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

/** @param words the words after the program's name; the last one, perhaps empty, is to be completed */
export const candidates = (
  entries: ReadonlyArray<Entry>,
  words: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Candidate>> =>
  Effect.map(possible(entries, words), (all) => {
    const last = words.at(-1) ?? ""
    return all.filter(({ word }) => word.startsWith(last))
  })

const possible = (
  entries: ReadonlyArray<Entry>,
  [name = "", ...rest]: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Candidate>> =>
  Effect.gen(function* () {
    if (rest.length === 0) return [...entries.map(named), ...builtIn]
    if (name === "help") return yield* possible(entries, rest)
    const entry = entries.find((entry) => entry.name === name)
    if (entry === undefined) return []
    const command = yield* Effect.promise(entry.load)
    if (!("commands" in command)) return yield* ofLeaf(command, name, rest)
    const [second = "", ...others] = rest
    if (others.length === 0) return commandsOf(command)
    const leaf = command.commands.find((leaf) => leaf.name === second)
    return leaf === undefined ? [] : yield* ofLeaf(leaf, name, others)
  })

const named = ({ name, what }: Entry): Candidate => ({ word: name, about: what })

const builtIn: ReadonlyArray<Candidate> = [
  { word: "help", about: "Explain a command." },
  { word: "version", about: "Print the version." }
]

const commandsOf = ({ commands }: Group): ReadonlyArray<Candidate> =>
  commands.map(({ described, name }) => ({ word: name, about: described().what[0] ?? "" }))

const ofLeaf = (leaf: Leaf, group: string, words: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Candidate>> => {
  const { args, options } = leaf.described()
  const known = options.map(([written, about]) => {
    const [option = "", value = ""] = written.split(" ")
    return { option, value, about }
  })
  const before = words.slice(0, -1)
  const pending = known.find(({ option, value }) => option === before.at(-1) && value !== "")
  if (pending !== undefined) return valuesOf(pending.value)
  if (words.at(-1)?.startsWith("-") === true) {
    return Effect.succeed(known.map(({ about, option }) => ({ word: option, about })))
  }
  const given = before.filter(
    (word, at) => !word.startsWith("-") && !known.some(({ option, value }) => option === before[at - 1] && value !== "")
  )
  const next = args[given.length]?.[0]
  return next === undefined ? Effect.succeed([]) : valuesOf(group === "keys" && next === "ID" ? keyOrName : next)
}

/** `gateway keys` takes a key's id or its name; filters take the id alone. */
const keyOrName = "KEY or its name"

/** Completions of a placeholder. */
const valuesOf = (placeholder: string): Effect.Effect<ReadonlyArray<Candidate>> => {
  if (placeholder === "SHELL") return words(["bash", "zsh", "fish"])
  if (placeholder.includes("|")) return words(placeholder.split("|"))
  if (placeholder === "[ADDRESS]") return signedInTo
  if (placeholder !== "ACCOUNT" && placeholder !== "KEY" && placeholder !== keyOrName) return Effect.succeed([])
  // Failures complete nothing.
  return Effect.flatMap(
    Effect.promise(() => import("./names.ts")),
    ({ accounts, keys }) =>
      Effect.orElseSucceed(placeholder === "ACCOUNT" ? accounts : keys(placeholder === keyOrName), () => [])
  )
}

const signedInTo = Effect.promise(() => import("../login/storedSignIns.ts")).pipe(
  Effect.flatMap(({ readSignIns }) => readSignIns),
  Effect.map((stored) => Object.entries(stored).map(([word, { email }]) => ({ word, about: email ?? "" }))),
  Effect.orElseSucceed(() => [])
)

const words = (all: ReadonlyArray<string>) => Effect.succeed(all.map((word) => ({ word, about: "" })))
